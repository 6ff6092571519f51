// Package measured tells who measured. Metrics that ask no judge are measured by
// nobody, also where a judge stands that others ask: their records name none, and
// are about the samples that a judge measured all the same.
package measured

import (
	"slices"

	"github.com/ragomega/ragomega/ragtest"
)

// By is who measured: the judge's model and identity, or "" for nobody.
func By(r ragtest.Record) string {
	if r.Model == "" && r.Identity == "" {
		return ""
	}
	return r.Model + " at " + r.Identity
}

// Judges returns those of records, in their order; nobody is none.
func Judges(records []ragtest.Record) []string {
	var judges []string
	for _, r := range records {
		if by := By(r); by != "" && !slices.Contains(judges, by) {
			judges = append(judges, by)
		}
	}
	return judges
}

// Groups returns for each record whose measurements it stands among: those of its
// judge. One of nobody stands among those of its package's judge, or where the
// package has none of the run's, if that is the only one. With several there is no
// saying whose, and it stands apart, in the group "".
func Groups(records []ragtest.Record) []string {
	of := map[string][]ragtest.Record{}
	for _, r := range records {
		of[r.Package] = append(of[r.Package], r)
	}
	all := Judges(records)
	only := map[string]string{} // by package
	for pkg, some := range of {
		judges := Judges(some)
		if len(judges) == 0 {
			judges = all
		}
		if len(judges) == 1 {
			only[pkg] = judges[0]
		}
	}
	groups := make([]string, len(records))
	for i, r := range records {
		groups[i] = By(r)
		if groups[i] == "" {
			groups[i] = only[r.Package]
		}
	}
	return groups
}
