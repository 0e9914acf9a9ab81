package source

import (
	"context"
	"errors"
	"go/types"
	"strings"
	"testing"
)

func TestCarriedPackagesNeedNoFolder(t *testing.T) {
	archive, err := Pack([]Carried{
		{Path: "a.b/c", Name: "c", Module: "a.b/c", Version: "v1.0.0", GoVersion: "go1.21", Files: map[string][]byte{
			"c.go":          []byte("package c\nimport (_ \"embed\"; \"a.b/c/internal/d\")\n//go:embed words/all.txt\nvar Words string\nfunc First[T any](list []T) T { return list[d.Zero] }\n"),
			"c_plan9.go":    []byte("package c\nvar Plan9 int\n"),
			"words/all.txt": []byte("one two"),
		}},
		{Path: "a.b/c/internal/d", Name: "d", Module: "a.b/c", Version: "v1.0.0", GoVersion: "go1.21", Files: map[string][]byte{"d.go": []byte("package d\nconst Zero = 0\n")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	store, err := OpenStore(string(archive))
	if err != nil {
		t.Fatal(err)
	}
	embed := types.NewPackage("embed", "embed")
	embed.MarkComplete()
	l := New(func(path string) (*types.Package, error) {
		if path == "embed" {
			return embed, nil
		}
		return nil, errors.New("not compiled")
	}, func(_ context.Context, path string) (Place, error) {
		if _, place, ok := store.Find(path); ok {
			return place, nil
		}
		return Place{}, errors.New("not carried")
	})
	if err := l.Load(t.Context(), []string{"a.b/c"}); err != nil {
		t.Fatal(err)
	}
	p := l.Package("a.b/c")
	if names := strings.Join(p.Types.Scope().Names(), " "); names != "First Words" {
		t.Errorf("the names are %s", names)
	}
	if len(p.Embeds) != 1 || p.Embeds[0].Files["words/all.txt"] != "one two" {
		t.Errorf("embedded are %v", p.Embeds)
	}
	if list := store.Packages(); len(list) != 2 || list[0].IsInternal() || !list[1].IsInternal() {
		t.Errorf("the packages are %v", list)
	}
}

func TestArchivesOfSourceMayBeEmptyOrBroken(t *testing.T) {
	archive, err := Pack(nil)
	if err != nil || len(archive) != 0 {
		t.Errorf("%q, %v", archive, err)
	}
	if s, err := OpenStore(""); err != nil || len(s.Packages()) != 0 {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := OpenStore("PK no archive"); err == nil {
		t.Error("a broken archive is opened")
	}
	var none *Store
	if _, _, ok := none.Find("a.b/c"); ok || none.Packages() != nil {
		t.Error("a nil store has packages")
	}
}
