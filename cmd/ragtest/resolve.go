package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/ragomega/ragomega/cache"
)

func resolve(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("resolve", flag.ContinueOnError)
	keep := flags.String("keep", "", "ours, theirs or neither")
	if err := parse(flags, args, "recording"); err != nil {
		return err
	}
	if *keep == "" {
		return usageError{"resolve: say what to keep: -keep ours, theirs or neither"}
	}
	for _, file := range flags.Args() {
		if _, err := os.Stat(file); err != nil {
			return err
		}
		n, err := cache.Resolve(file, cache.Keep(*keep))
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: %d conflicts settled\n", file, n)
	}
	return nil
}
