package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"
)

// inJSON reports whether the command was told to print JSON.
func inJSON(cmd *cobra.Command) bool {
	yes, err := cmd.Flags().GetBool("json")
	return err == nil && yes
}

// printJSON prints v for programs.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
