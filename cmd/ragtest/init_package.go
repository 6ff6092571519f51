package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// testName is the package of the tests: the one that tests of the folder are of,
// from the outside if there are none. Where the folder has no Go files yet, it
// gets its name from the import path.
func (p testPackage) testName() string {
	name := p.Name
	if name == "" {
		name = strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
				return unicode.ToLower(r)
			}
			return -1
		}, path.Base(p.ImportPath))
		if name == "" || !unicode.IsLetter(rune(name[0])) {
			name = "rag" + name
		}
	}
	if len(p.TestGoFiles) > 0 && len(p.XTestGoFiles) == 0 {
		return name
	}
	return name + "_test"
}

// testMain returns the file that has a TestMain, and whether that calls
// ragtest.Run.
func (p testPackage) testMain() (file string, ends bool, err error) {
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		at := filepath.Join(p.Dir, name)
		f, err := parser.ParseFile(token.NewFileSet(), at, nil, parser.SkipObjectResolution)
		if err != nil {
			return "", false, fmt.Errorf("a test file cannot be read: %w", err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || fn.Name.Name != "TestMain" || fn.Body == nil {
				continue
			}
			return name, callsRun(fn, libraryName(f)), nil
		}
	}
	return "", false, nil
}

// libraryName is what a file calls package ragtest; "" if it does not import it.
func libraryName(f *ast.File) string {
	for _, i := range f.Imports {
		if strings.Trim(i.Path.Value, `"`) != libraryPath+"/ragtest" {
			continue
		}
		if i.Name != nil {
			return i.Name.Name
		}
		return "ragtest"
	}
	return ""
}

func callsRun(fn *ast.FuncDecl, pkg string) (calls bool) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			calls = calls || ok && pkg != "" && x.Name == pkg && n.Sel.Name == "Run"
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.Ident)
			calls = calls || ok && pkg == "." && f.Name == "Run"
		}
		return true
	})
	return calls
}
