//go:build !race

package link_test

import "testing"

func TestRecursiveTypesOfAllKindsAreRealTypes(t *testing.T) {
	play(t, []step{
		{code: `import ("fmt"; "reflect")
type Node struct { Value int; Next *Node; Kids []Node; By map[string]*Node; Call func(Node) *Node; Any interface{ Get() Node } }
type Tree []Tree
type Index map[string]Index
type Pipe chan Pipe
type Step func(int) Step
type Link *Link
type Row [2]*Row
type Even struct { Odd *Odd }
type Odd struct { Even *Even }
type Getter interface { Get() Getter; Of(Node) map[string]Tree2 }
type Tree2 *Tree
func show(v any) { t := reflect.TypeOf(v); fmt.Println(t, t.Kind(), t.Name(), t.PkgPath()) }`},
		{code: `show(Node{}); show(Tree{}); show(Index{}); show(Pipe(nil)); show(Step(nil)); show(Link(nil)); show(Row{}); show(Even{})`,
			prints: `main.Node struct Node main
main.Tree slice Tree main
main.Index map Index main
main.Pipe chan Pipe main
main.Step func Step main
main.Link ptr Link main
main.Row array Row main
main.Even struct Even main
`},
		{code: `n := reflect.TypeOf(Node{})
for i := range n.NumField() { fmt.Println(n.Field(i).Name, n.Field(i).Type) }
fmt.Println(reflect.TypeOf(Tree{}).Elem() == reflect.TypeOf(Tree{}), reflect.TypeOf(Step(nil)).Out(0), reflect.TypeOf(Link(nil)).Elem(), reflect.TypeOf(Even{}).Field(0).Type.Elem().Field(0).Type.Elem() == reflect.TypeOf(Even{}))`,
			prints: `Value int
Next *main.Node
Kids []main.Node
By map[string]*main.Node
Call func(main.Node) *main.Node
Any interface { Get() main.Node }
true main.Step main.Link true
`},
		{code: `list := Node{1, &Node{Value: 2}, []Node{{Value: 3}}, map[string]*Node{}, nil, nil}
list.Next.Next = &list
fmt.Println(list.Next.Next.Value, list.Kids[0].Value, Tree{nil, {nil}}, Index{"a": {"b": nil}})`, prints: "1 3 [[] [[]]] map[a:map[b:map[]]]\n"},
	})
}

func TestInstancesAreNamedAsCompiled(t *testing.T) {
	play(t, []step{
		{code: `import "fmt"
type T struct{ N int }
type Pair[A, B any] struct { First A; Second B }
type Box[A any] struct { Value A; Next *Box[A] }
func (b Box[A]) String() string { return fmt.Sprintf("<%v>", b.Value) }
type List[A comparable] []Pair[A, *List[A]]
func local[A any](a A) any { type inner struct { X A }; return inner{a} }
func plain() any { type T struct { Y string }; return T{"y"} }`},
		{code: `fmt.Printf("%T %T %T\n", Pair[string, int]{}, Box[T]{}, List[int]{})
fmt.Printf("%T %T %T %T\n", Pair[[]T, map[string]Box[int]]{}, Box[any]{}, Box[interface{ M(T) }]{}, Box[struct{ A int }]{})
fmt.Printf("%T %T %T\n", local(1), local("a"), plain())
fmt.Printf("%v %v\n", Box[int]{Value: 1}, Pair[int, Box[string]]{1, Box[string]{Value: "s"}})`, prints: `main.Pair[string,int] main.Box[main.T] main.List[int]
main.Pair[[]main.T,map[string]main.Box[int]] main.Box[interface {}] main.Box[interface { M(main.T) }] main.Box[struct { A int }]
main.inner[int] main.inner[string] main.T
<1> {1 <s>}
`},
		{code: `fmt.Println(local(1) == local(1), local(1) == any(local("a")), any(Box[int]{}) == any(Box[int]{}), any(plain()) == any(T{}))`, prints: "true false true false\n"},
	})
}

func TestIdenticalTypesOfSeveralCellsAreOneType(t *testing.T) {
	play(t, []step{
		{code: `import ("fmt"; "io")
type T struct { N int }
var values = []any{T{1}, []T{{1}}, map[T]int{}, func(T) error { return nil }, struct { T; X int }{}, [2]*T{}, (*interface{ M(T) })(nil), (chan<- T)(nil)}`},
		{code: `_, a := values[0].(T); _, b := values[1].([]T); _, c := values[2].(map[T]int); _, d := values[3].(func(T) error)
_, e := values[4].(struct { T; X int }); _, f := values[5].([2]*T); _, g := values[6].(*interface{ M(T) }); _, h := values[7].(chan<- T)
fmt.Println(a, b, c, d, e, f, g, h)`, prints: "true true true true true true true true\n"},
		{code: `type T struct { N string }
_, old := values[0].(T)
var r io.Reader
fmt.Printf("%v %T %T\n", old, values[0], &r)`, prints: "false main.T *io.Reader\n"},
	})
}

func TestMethodsAreCalledByCompiledCode(t *testing.T) {
	play(t, []step{
		{code: `import ("encoding/json"; "errors"; "fmt"; "sort"; "strings")
type Name string
func (n Name) String() string { return strings.ToUpper(string(n)) }
type Fault struct { Code int }
func (f *Fault) Error() string { return fmt.Sprint("fault ", f.Code) }
func (f *Fault) Is(other error) bool { return other == errors.ErrUnsupported }
type byLength []Name
func (b byLength) Len() int { return len(b) }
func (b byLength) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
func (b byLength) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
type Celsius float64
func (c Celsius) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "\"%g C\"", float64(c)), nil }
func (c *Celsius) UnmarshalJSON(data []byte) error { _, err := fmt.Sscanf(string(data), "\"%g C\"", (*float64)(c)); return err }
type Day struct { Name; Warm Celsius ` + "`json:\"warm\"`" + `; cold Celsius; *Fault }`},
		{code: `fmt.Println(Name("a"), []Name{"b"}, map[Name]Name{"k": "v"}, &Fault{3}, struct{ N Name }{"n"})`, prints: "A [B] map[K:V] fault 3 {N}\n"},
		{code: `err := fmt.Errorf("wrapped: %w", &Fault{4})
var fault *Fault
fmt.Println(errors.As(err, &fault), fault.Code, errors.Is(err, errors.ErrUnsupported), errors.Unwrap(err) == error(fault))`, prints: "true 4 true true\n"},
		{code: `names := byLength{"ccc", "a", "bb"}
sort.Sort(names)
fmt.Println(names)
sort.Sort(sort.Reverse(names))
fmt.Println(names)`, prints: "[A BB CCC]\n[CCC BB A]\n"},
		{code: `data, err := json.Marshal(Day{Name: "monday", Warm: 20.5})
fmt.Println(string(data), err)
var day Day
fmt.Println(json.Unmarshal([]byte(` + "`{\"Name\":\"x\",\"warm\":\"-3 C\"}`" + `), &day), day.Name, day.Warm == -3)`, prints: "{\"Name\":\"monday\",\"warm\":\"20.5 C\"} <nil>\n<nil> X true\n"},
		{code: `var s fmt.Stringer = Day{Name: "promoted"}
var e error = Day{Fault: &Fault{5}}
var u any = struct { Name; n int }{"unnamed", 1}
fmt.Println(s.String(), e.Error(), u.(fmt.Stringer).String(), u)`, prints: "PROMOTED fault 5 UNNAMED UNNAMED\n"},
	})
}

func TestValuesOfCellTypesAreComparedAsCompiled(t *testing.T) {
	play(t, []step{
		{code: `import ("fmt"; "maps"; "slices")
type Key struct { a string; b float64; _ int; c any }
type Id [2]Key
type Fn struct { f func() }
type Level int
var keys = map[any]int{Key{"x", 1, 0, nil}: 1, Id{{"y", 2, 0, 3}}: 2, Level(3): 3, 3: 4, &Key{}: 5}
var levels = map[Level]string{1: "one", 2: "two"}
func same(a, b any) (r any) { defer func() { if e := recover(); e != nil { r = e } }(); return a == b }`},
		{code: `fmt.Println(keys[Key{"x", 1, 0, nil}], keys[Id{{"y", 2, 0, 3}}], keys[Level(3)], keys[3], keys[&Key{}], len(keys))
fmt.Println(slices.Sorted(maps.Keys(levels)), levels)`, prints: "1 2 3 4 0 5\n[1 2] map[1:one 2:two]\n"},
		{code: `fmt.Println(same(Key{"x", 1, 0, "t"}, Key{"x", 1, 0, "t"}), same(Key{}, Key{c: 1}), same(Level(1), 1), same(Fn{}, Fn{}), same(Key{c: []int{}}, Key{c: []int{}}))`,
			prints: "true false false runtime error: comparing uncomparable type main.Fn runtime error: comparing uncomparable type []int\n"},
	})
}

func TestInterfacesOfCellsHaveRealSignatures(t *testing.T) {
	play(t, []step{
		{code: `import ("fmt"; "io"; "reflect"; "strings")
type T struct { N int }
type Maker interface { io.Reader; Make(T, ...*T) ([]T, error); hidden(T) T }
type M struct { io.Reader }
func (M) Make(t T, list ...*T) ([]T, error) { return []T{t, *list[0]}, nil }
func (M) hidden(t T) T { t.N++; return t }`},
		{code: `var m Maker = M{strings.NewReader("text")}
list, err := m.Make(T{1}, &T{2})
data, _ := io.ReadAll(m)
fmt.Println(list, err, string(data), m.hidden(T{3}))`, prints: "[{1} {2}] <nil> text {4}\n"},
		{code: `i := reflect.TypeOf((*Maker)(nil)).Elem()
method, _ := i.MethodByName("Make")
fmt.Println(method.Type, reflect.TypeOf(m).Implements(i), reflect.TypeOf(T{}).Implements(i))
out := reflect.ValueOf(m).MethodByName("Make").Call([]reflect.Value{reflect.ValueOf(T{5}), reflect.ValueOf(&T{6})})
fmt.Println(out[0].Interface(), out[0].Type())`, prints: "func(main.T, ...*main.T) ([]main.T, error) true false\n[{5} {6}] []main.T\n"},
	})
}
