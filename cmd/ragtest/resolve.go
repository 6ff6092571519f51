package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/ragomega/ragomega/cache"
)

func resolveCommand() *cobra.Command {
	var keep string
	cmd := &cobra.Command{
		Use:   "resolve --keep ours|theirs|neither FILE...",
		Short: "Settle the conflicts that a merge left in recordings",
		Long: `Resolve settles the conflicts that a merge of two branches left in a recording,
where both had recorded a reply to the same request. Ours is the reply of the
branch that was merged into, theirs that of the other; neither drops both, so
that the next run asks again.

Exit codes: 0 settled, or nothing to settle; 1 failed; 2 not understood.`,
		Example: `  ragtest resolve --keep ours testdata/ragtest/judge.jsonl
  ragtest resolve --keep neither */testdata/ragtest/*.jsonl`,
		Args: atLeast(1, "recording"),
		RunE: func(cmd *cobra.Command, files []string) error {
			if keep == "" {
				return wrong("resolve: say what to keep: --keep ours, theirs or neither")
			}
			if err := resolve(cmd, cache.Keep(keep), files); err != nil {
				return failedError{err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&keep, "keep", "", "ours, theirs or neither")
	return cmd
}

func resolve(cmd *cobra.Command, keep cache.Keep, files []string) error {
	type resolved struct {
		File    string `json:"file"`
		Settled int    `json:"settled"`
	}
	all := []resolved{}
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			return err
		}
		n, err := cache.Resolve(file, keep)
		if err != nil {
			return err
		}
		all = append(all, resolved{file, n})
		if !inJSON(cmd) {
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %d conflicts settled\n", file, n)
		}
	}
	if inJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), all)
	}
	return nil
}
