// Package lazyregexp has regular expressions that are compiled when they are first used. Compiling
// the dozens of expressions in the variables of all packages would make every kernel start later
// and larger.
package lazyregexp

import (
	"regexp"
	"sync"
)

// A Regexp is a regular expression that is compiled at the first call of one of its methods, which
// are those of regexp.Regexp. It is safe for concurrent use.
type Regexp struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

// New returns an expression. An invalid one panics when it is first used.
func New(text string) *Regexp { return &Regexp{text: text} }

// get returns the compiled expression.
func (r *Regexp) get() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.text) })
	return r.compiled
}

// ExpandString is like the method of regexp.Regexp.
func (r *Regexp) ExpandString(dst []byte, template, src string, match []int) []byte {
	return r.get().ExpandString(dst, template, src, match)
}

// FindAllString is like the method of regexp.Regexp.
func (r *Regexp) FindAllString(s string, n int) []string { return r.get().FindAllString(s, n) }

// FindAllStringIndex is like the method of regexp.Regexp.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int { return r.get().FindAllStringIndex(s, n) }

// FindAllSubmatch is like the method of regexp.Regexp.
func (r *Regexp) FindAllSubmatch(s []byte, n int) [][][]byte { return r.get().FindAllSubmatch(s, n) }

// FindString is like the method of regexp.Regexp.
func (r *Regexp) FindString(s string) string { return r.get().FindString(s) }

// FindStringSubmatch is like the method of regexp.Regexp.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.get().FindStringSubmatch(s) }

// FindStringSubmatchIndex is like the method of regexp.Regexp.
func (r *Regexp) FindStringSubmatchIndex(s string) []int { return r.get().FindStringSubmatchIndex(s) }

// FindSubmatchIndex is like the method of regexp.Regexp.
func (r *Regexp) FindSubmatchIndex(b []byte) []int { return r.get().FindSubmatchIndex(b) }

// FindAllStringSubmatch is like that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.get().FindAllStringSubmatch(s, n)
}

// MatchString is like the method of regexp.Regexp.
func (r *Regexp) MatchString(s string) bool { return r.get().MatchString(s) }

// ReplaceAllString is like the method of regexp.Regexp.
func (r *Regexp) ReplaceAllString(s, with string) string { return r.get().ReplaceAllString(s, with) }

// ReplaceAllStringFunc is like the method of regexp.Regexp.
func (r *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	return r.get().ReplaceAllStringFunc(s, with)
}
