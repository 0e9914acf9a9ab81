package session

import (
	"slices"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

func TestHelpKnowsGenericMethodsAndPromotedKeys(t *testing.T) {
	s := newTestSession(t)
	if got := printed(s, `// List is a list.
type List[T any] struct { items []T }
// Map returns the results of f.
func (l List[T]) Map[U any](f func(T) U) List[U] { return List[U]{} }
type Base struct { ID int; name string }
type User struct { Base; Age int }
l := List[int]{}
import "math/rand/v2"`); got != "" {
		t.Fatal(got)
	}
	for name, want := range map[string]string{
		"l.Map":                         "func (l List[int]) Map[U any](f func(int) U) List[U]\n\nMap returns the results of f.",
		"rand.New(rand.NewPCG(1, 2)).N": "N[Int ",
		"strconv.Itoa(l.items[":         "func Itoa(i int) string",
		"l.Map[string]":                 "Map returns the results of f.",
		"List[int].Map":                 "Map[U any]",
		"User{ID: 1}.ID":                "ID int",
		"uuid.NewV7":                    "func NewV7() uuid.UUID",
		"maphash.ComparableHasher":      "type maphash.ComparableHasher[T comparable] struct",
	} {
		if got := inspected(s, name); !strings.Contains(got, want) {
			t.Errorf("inspection of %s shows\n%s\nwant\n%s", name, got, want)
		}
	}
	for code, want := range map[string]string{
		"l.Ma": "Map", "User{": "Base", "User{I": "ID", "User{Age: 1, I": "ID", "&User{na": "name",
		"l.Map[string](strconv.Itoa).Ma": "Map", "List[int].Ma": "Map", "List[int]{}.Map[string](strco": "strconv",
		"uuid.NewV": "NewV7", "jsontext.Val": "Value", "strings.CutL": "CutLast", "[]User{{I": "ID", "map[string]*User{\"a\": {ID: 1, Ag": "Age", "rand.New(rand.NewPCG(1, 2)).N": "N",
	} {
		reply := s.Complete(protocol.CompleteRequest{Code: code, CursorPos: len(code)})
		if !slices.ContainsFunc(reply.Matches, func(m string) bool { return strings.HasSuffix(m, want) }) {
			t.Errorf("completion of %s: %q, want %s", code, reply.Matches, want)
		}
	}
}
