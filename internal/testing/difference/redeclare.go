package difference

// The crossing of this file declares a type, makes values of it in many places, declares the
// methods of the type anew, and calls them on the values. Programs of Generate cannot show faults
// of this kind: no value in them is older than a method of its type.

// A form is a way to declare the method M of a type.
type form struct {
	pointer bool   // whether the receiver is a pointer
	field   bool   // M is a promoted field and no method
	generic string // type parameters, in brackets
	params  string // of the method
	result  string
	args    string // of a call
}

func (f *form) call() string {
	if f.field {
		return "M"
	}
	return "M(" + f.args + ")"
}

// iface is the interface type with this method.
func (f *form) iface() string { return "interface{ M(" + f.params + ") " + f.result + " }" }

// sameSignature reports whether two forms differ at most in the kind of the receiver.
func (f *form) sameSignature(g *form) bool {
	return f != nil && g != nil && !f.field && !g.field && f.generic == g.generic && f.params == g.params && f.result == g.result
}

// implements reports whether M is a method that a type with the interface can have.
func (f *form) implements() bool { return !f.field && f.generic == "" }

var (
	byValue       = &form{result: "string"}
	byPointer     = &form{pointer: true, result: "string"}
	withParameter = &form{params: "n int", args: "3", result: "string"}
	otherResult   = &form{result: "int"}
	pointerResult = &form{pointer: true, result: "int"}
	promotedField = &form{field: true, result: "string"}
	generic       = &form{generic: "[Y any]", params: "n Y", args: "3", result: "string"}
	onPointer     = &form{pointer: true, generic: "[Y any]", params: "n Y", args: "3", result: "string"}
)

// A change is a later declaration of the method M. The zero form means that there is none. A change
// that overrides declares the method for a type that has a promoted member M.
type change struct {
	name      string
	old, now  *form
	overrides bool
	removed   bool // the type is declared anew without the method, which it keeps
}

var changes = []change{
	{name: "new method", now: byValue},
	{name: "new pointer method", now: byPointer},
	{name: "other body", old: byValue, now: byValue},
	{name: "other body of a pointer method", old: byPointer, now: byPointer},
	{name: "value to pointer", old: byValue, now: byPointer},
	{name: "pointer to value", old: byPointer, now: byValue},
	{name: "other parameters", old: byValue, now: withParameter},
	{name: "other result", old: byPointer, now: pointerResult},
	{name: "other receiver and result", old: byValue, now: pointerResult},
	{name: "over a promoted method", old: byValue, now: byValue, overrides: true},
	{name: "pointer method over a promoted one", old: byValue, now: byPointer, overrides: true},
	{name: "value method over a promoted pointer method", old: byPointer, now: byValue, overrides: true},
	{name: "other signature over a promoted method", old: byValue, now: otherResult, overrides: true},
	{name: "over a promoted field", old: promotedField, now: byValue, overrides: true},
	{name: "pointer method over a promoted field", old: promotedField, now: byPointer, overrides: true},
	{name: "removed with its type", old: byValue, now: byValue, removed: true},
	{name: "new generic method", now: generic},
	{name: "other body of a generic method", old: generic, now: generic},
	{name: "generic value to pointer", old: generic, now: onPointer},
	{name: "type parameter for a parameter", old: withParameter, now: generic},
	{name: "generic to plain", old: onPointer, now: byValue},
	{name: "generic method over a promoted one", old: byPointer, now: generic, overrides: true},
	{name: "over a promoted generic method", old: generic, now: withParameter, overrides: true},
	{name: "generic method over a promoted field", old: promotedField, now: generic, overrides: true},
	{name: "generic method removed with its type", old: generic, now: generic, removed: true},
}

// A redeclaredKind is a type T with values. In texts, @ is a value of the type.
type redeclaredKind struct {
	name     string
	decl     string // of T and its parts, without the method; $F is a field M of the embedded type
	removed  string // another declaration of T, for change.removed
	typ      string
	value    string
	receiver string // base type of the receiver of M
	outer    string // base type of T, if T promotes M of inner
	inner    string // the embedded type with the member M that a change overrides
	see      string // the content of a T
	bump     string // a statement that changes it
	// The same for a value of the embedded type.
	seeInner, bumpInner string
	viaPointer          bool // pointer methods of the embedded type belong to T as well
}

var redeclaredKinds = []redeclaredKind{
	{name: "struct", decl: "type T$m struct{ n int }", removed: "type T$m struct{ n, z int }", typ: "T$m", value: "T$m{n: 4}", receiver: "T$m", see: "@.n", bump: "@.n++"},
	{name: "number", decl: "type T$m int", removed: "type T$m int64", typ: "T$m", value: "T$m(4)", receiver: "T$m", see: "int(@)", bump: "@++"},
	{name: "text", decl: "type T$m string", typ: "T$m", value: `T$m("a")`, receiver: "T$m", see: "string(@)", bump: `@ += T$m("b")`},
	{name: "slice", decl: "type T$m []int", removed: "type T$m []int8", typ: "T$m", value: "T$m{4}", receiver: "T$m", see: "len(@)", bump: "@ = append(@, 1)"},
	{name: "map", decl: "type T$m map[string]int", removed: "type T$m map[string]int8", typ: "T$m", value: `T$m{"k": 4}`, receiver: "T$m", see: `@["k"]`, bump: `@["k"]++`},
	{name: "array", decl: "type T$m [2]int", removed: "type T$m [3]int", typ: "T$m", value: "T$m{4}", receiver: "T$m", see: "@[0]", bump: "@[0]++"},
	{name: "channel", decl: "type T$m chan int", removed: "type T$m chan int8", typ: "T$m", value: "make(T$m, 4)", receiver: "T$m", see: "cap(@)", bump: "@ = make(T$m, 5)"},
	{name: "func", decl: "type T$m func() int", removed: "type T$m func() int8", typ: "T$m", value: "T$m(nil)", receiver: "T$m", see: "@ == nil", bump: "@ = *new(T$m)"},
	{name: "generic", decl: "type G$m[P any] struct{ v P; n int }", typ: "G$m[string]", value: `G$m[string]{"s", 4}`, receiver: "G$m[P]", see: "@.n", bump: "@.n++"},
	{name: "generic slice", decl: "type G$m[P any] []P", typ: "G$m[int]", value: "G$m[int]{4}", receiver: "G$m[P]", see: "len(@)", bump: "@ = append(@, @[0])"},
	{name: "alias", decl: "type U$m struct{ n int }\ntype T$m = U$m", typ: "T$m", value: "T$m{n: 4}", receiver: "T$m", see: "@.n", bump: "@.n++"},
	{name: "alias of a generic type", decl: "type G$m[P any] struct{ v P; n int }\ntype T$m = G$m[int]", typ: "T$m", value: "T$m{n: 4}", receiver: "G$m[P]", see: "@.n", bump: "@.n++"},
	{name: "embedded", decl: "type E$m struct{ n int$F }\ntype T$m struct{ E$m }", typ: "T$m", value: "T$m{E$m{n: 4$V}}", receiver: "E$m", outer: "T$m", inner: "E$m", see: "@.n", bump: "@.n++"},
	{name: "embedded pointer", decl: "type E$m struct{ n int$F }\ntype T$m struct{ *E$m }", typ: "T$m", value: "T$m{&E$m{n: 4$V}}", receiver: "E$m", outer: "T$m", inner: "E$m", see: "@.n", bump: "@.n++", viaPointer: true},
	{name: "embedded twice", decl: "type E$m struct{ n int$F }\ntype F$m struct{ E$m }\ntype T$m struct{ *F$m }", typ: "T$m", value: "T$m{&F$m{E$m{n: 4$V}}}", receiver: "E$m", outer: "T$m", inner: "E$m", see: "@.n", bump: "@.n++", viaPointer: true},
	{name: "embedded number", decl: "type E$m int\ntype T$m struct{ E$m }", typ: "T$m", value: "T$m{E$m(4)}", receiver: "E$m", outer: "T$m", inner: "E$m", see: "int(@.E$m)", bump: "@.E$m++", seeInner: "int(@)", bumpInner: "@++"},
	{name: "embedded generic", decl: "type E$m[P any] struct{ v P; n int$F }\ntype T$m struct{ E$m[int] }", typ: "T$m", value: "T$m{E$m[int]{n: 4$V}}", receiver: "E$m[P]", outer: "T$m", inner: "E$m[P]", see: "@.n", bump: "@.n++"},
	{name: "embedded in a generic type", decl: "type E$m struct{ n int$F }\ntype G$m[P any] struct{ E$m; v P }", typ: "G$m[int]", value: "G$m[int]{E$m: E$m{n: 4$V}}", receiver: "E$m", outer: "G$m[P]", inner: "E$m", see: "@.n", bump: "@.n++"},
}

// A way leads to a value of the type. Setup makes the value before the change, and Expr is the
// value. In the texts, single capital letters are the type T, its name N as an embedded
// field, the value V, the call C of the method with its arguments A after others, the interface I
// that has the method, and the content S of a variable x.
type way struct {
	name  string
	decl  string // declarations that precede the setup
	late  string // declarations that follow the change
	setup string
	expr  string
	// pointer reports that expr is a pointer, and place that its address can be taken.
	pointer, place bool
	use            string // replaces the call of the method on expr
	fresh          bool   // the value is made after the change
	// older reports that the setup uses the method, and rechecked that decl does. An older use keeps
	// the method unless its signature and its receiver stay.
	older, rechecked bool
	// inInterface is 'v' for a value that an interface value holds since the setup, and 'p' for a
	// pointer.
	inInterface byte
	interfaces  bool // the use needs a method and not a field
	mentions    bool // the use mentions the type, which is another one after change.removed
}

var reached = []way{
	{name: "variable", setup: "v1 := V", expr: "v1", place: true},
	{name: "declared variable", setup: "var v2 T = V", expr: "(v2)", place: true},
	{name: "field", setup: "v3 := struct{ F T; z int }{F: V}", expr: "v3.F", place: true},
	{name: "field of a declared type", decl: "type H$m struct { a int; F T; P *T; L []T }", setup: "v4 := H$m{F: V}", expr: "v4.F", place: true},
	{name: "field of a pointer", setup: "v5 := &H$m{F: V}", expr: "v5.F", place: true},
	{name: "pointer field", setup: "v6 := H$m{P: &[]T{V}[0]}", expr: "v6.P", pointer: true},
	{name: "slice in a field", setup: "v7 := H$m{L: []T{V}}", expr: "v7.L[0]", place: true},
	{name: "element of a slice", setup: "v8 := []T{V}", expr: "v8[0]", place: true},
	{name: "element of an array", setup: "v9 := [2]T{V, V}", expr: "v9[1]", place: true},
	{name: "element of a map", setup: `v10 := map[string]T{"k": V}`, expr: `v10["k"]`},
	{name: "pointer in a map", setup: `v11 := map[int]*T{1: &[]T{V}[0]}`, expr: "v11[1]", pointer: true},
	{name: "pointer", setup: "v12 := &[]T{V}[0]", expr: "v12", pointer: true},
	{name: "dereferenced pointer", setup: "v13 := &[]T{V}[0]", expr: "(*v13)", place: true},
	{name: "pointer to a pointer", setup: "v14 := &[]*T{&[]T{V}[0]}[0]", expr: "(*v14)", pointer: true},
	{name: "result of a function", decl: "func made$m() T { return V }", expr: "made$m()", fresh: true},
	{name: "pointer result", decl: "func fresh$m() *T { return &[]T{V}[0] }", expr: "fresh$m()", pointer: true, fresh: true},
	{name: "result of an older literal", setup: "v15 := func() T { return V }", expr: "v15()"},
	{name: "value from a channel", setup: "v16 := make(chan T, 1); v16 <- V", expr: "(<-v16)"},
	{name: "copy of a variable", setup: "v17 := V; w17 := v17", expr: "w17", place: true},
	{name: "embedded in a variable", setup: "v18 := struct{ T }{V}", expr: "v18.N", place: true},
	{name: "promoted by a variable", setup: "v19 := struct{ a int; T }{1, V}", use: "fmt.Println(v19.C)"},
	{name: "promoted by a declared type", decl: "type O$m struct { a int; T }", setup: "v20 := O$m{1, V}", use: "fmt.Println(v20.C)"},
	{name: "promoted by a pointer", decl: "type R$m struct { a int; *T }", setup: "v21 := R$m{1, &[]T{V}[0]}", use: "fmt.Println(v21.C)"},
	{name: "field of a generic type", decl: "type Q$m[X any] struct { v X }", setup: "v22 := Q$m[T]{V}", expr: "v22.v", place: true},
	{name: "older literal", setup: "v23 := V; w23 := func() any { return v23.C }", use: "fmt.Println(w23())", older: true},
	{name: "older method value", setup: "v24 := V; w24 := v24.M", use: "fmt.Println(w24(A))", older: true, interfaces: true},
	{name: "new literal", setup: "v25 := V", use: "func() { fmt.Println(v25.C) }()"},
	{name: "method value", setup: "v26 := V", use: "w26 := v26.M; fmt.Println(w26(A))", interfaces: true},
	{name: "deferred call", setup: "v27 := V", use: "func() { defer v27.C }(); x := v27; fmt.Println(S)", interfaces: true},
	{name: "method expression", setup: "v28 := V", use: "fmt.Println((*T).M(&v28, A))", mentions: true, interfaces: true},
	{name: "conversion", setup: "v29 := V", expr: "T(v29)", mentions: true},
	{name: "new interface value", setup: "v30 := V", use: "var x any = &v30; fmt.Println(x.(I).C)", interfaces: true},
	{name: "converted to an interface", setup: "v31 := V", use: "var x I = &v31; fmt.Println(x.C)", interfaces: true},
	{name: "older interface value", setup: "var v32 any = V", use: "if x, ok := v32.(I); ok { fmt.Println(x.C) } else { fmt.Println(ok) }", inInterface: 'v', interfaces: true},
	{name: "pointer in an older interface value", setup: "var v33 any = &[]T{V}[0]", use: "if x, ok := v33.(I); ok { fmt.Println(x.C) } else { fmt.Println(ok) }", inInterface: 'p', interfaces: true},
	{name: "asserted value", setup: "var v34 any = V", expr: "v34.(T)", mentions: true},
	{name: "type switch", setup: "var v35 any = V", use: "switch x := v35.(type) { case T: fmt.Println(x.C) }", mentions: true},
	{name: "range over a slice", setup: "v36 := []T{V}", use: "for _, x := range v36 { fmt.Println(x.C) }"},
	{name: "range over a map", setup: "v37 := map[int]T{1: V}", use: "for _, x := range v37 { fmt.Println(x.C) }"},
	{name: "range over an array of pointers", setup: "v38 := [1]*T{&[]T{V}[0]}", use: "for _, x := range v38 { fmt.Println(x.C) }"},
	{name: "range over a channel", setup: "v39 := make(chan T, 1); v39 <- V; close(v39)", use: "for x := range v39 { fmt.Println(x.C) }"},
	{name: "range over a function", setup: "v40 := func(yield func(T) bool) { yield(V) }", use: "for x := range v40 { fmt.Println(x.C) }"},
	{name: "generic function", late: "func call$m[X I](x X) any { return x.C }", setup: "v41 := V", use: "fmt.Println(call$m(&v41))", interfaces: true},
	{name: "older generic function", decl: "func older$m[X I](x X) any { return x.C }", setup: "v42 := V", use: "fmt.Println(older$m(&v42))", interfaces: true, rechecked: true},
	{name: "generic function of elements", late: "func each$m[X I](xs []X) any { for _, x := range xs { return x.C }; return nil }", setup: "v43 := []*T{&[]T{V}[0]}", use: "fmt.Println(each$m(v43))", interfaces: true},
	{name: "generic function with a constraint on the pointer", late: "func both$m[X any, Y interface { *X; I }](x X) any { return Y(&x).C }", setup: "v44 := V", use: "fmt.Println(both$m(v44))", interfaces: true},
	{name: "new variable", setup: "v45 := V", use: "x := v45; fmt.Println(x.C, S)"},
	{name: "function declared later", decl: "var p46$m T", setup: "p46$m = V", late: "func later$m() any { return p46$m.C }", use: "fmt.Println(later$m())"},
	{name: "function declared earlier", decl: "var p47$m T; func earlier$m() any { return p47$m.C }", setup: "p47$m = V", use: "fmt.Println(earlier$m())", rechecked: true},
	{name: "older function that makes an interface value", decl: "var p49$m T; func boxed$m() any { return &p49$m }", setup: "p49$m = V", use: "if x, ok := boxed$m().(I); ok { fmt.Println(x.C) } else { fmt.Println(ok) }", interfaces: true},
	{name: "older function that makes an interface value of its own", decl: "func made2$m() any { x := V; return &x }", use: "if x, ok := made2$m().(I); ok { fmt.Println(x.C) } else { fmt.Println(ok) }", interfaces: true, fresh: true},
	{name: "unnamed struct in an interface value", setup: "v50 := struct{ b int; T }{1, V}", use: "var x any = &v50; fmt.Println(x.(I).C)", interfaces: true},
	{name: "declared struct in an interface value", setup: "v51 := O$m{1, V}", use: "var x any = &v51; fmt.Println(x.(I).C)", interfaces: true},
	{name: "older value of a generic function", decl: "func same$m[X any](x X) any { return x }", setup: "v52, w52 := V, same$m[*T]", use: "if x, ok := w52(&v52).(I); ok { fmt.Println(x.C) } else { fmt.Println(ok) }", interfaces: true},
	{name: "older method value of a generic type", decl: "type Bx$m[X any] struct { v X }\nfunc (b Bx$m[X]) Any() any { return b.v }", setup: "v53 := V; w53 := Bx$m[*T]{&v53}.Any", use: "if x, ok := w53().(I); ok { fmt.Println(x.C) } else { fmt.Println(ok) }", interfaces: true},
	{name: "older value of a generic function that asserts", decl: "func holds$m[X any](x any) bool { _, ok := x.(X); return ok }", setup: "v54, w54 := V, holds$m[*T]", use: "fmt.Println(w54(&v54))", interfaces: true},
	{name: "parameter", late: "func take$m(x T) any { return x.C }", setup: "v48 := V", use: "fmt.Println(take$m(v48))", mentions: true},
}
