package session

import (
	"go/token"
	"go/types"
	"testing"
)

// A row is a cell that calls one function, and what it shows: its value, or the error with which
// the cell ends. Cells run inside the kernel, so no row may end the process.
type row struct{ code, want string }

// functionRows has a row for each function of the packages through which a program reaches the
// runtime. Arguments are wrong, extreme or nil where the function is harmless otherwise.
var functionRows = map[string]map[string]row{
	"runtime": {
		"AddCleanup":              {"runtime.AddCleanup((*int)(nil), func(int) {}, 1)", "runtime.AddCleanup: ptr is nil"},
		"BlockProfile":            {"n, ok := runtime.BlockProfile(nil); n >= 0 && ok", "true"},
		"Breakpoint":              {"runtime.Breakpoint()", "exit status 2"},
		"CPUProfile":              {"runtime.CPUProfile()", "CPUProfile no longer available"},
		"Caller":                  {"func() bool { _, _, _, ok := runtime.Caller(1 << 40); return ok }()", "false"},
		"Callers":                 {"runtime.Callers(-1, nil)", "0"},
		"CallersFrames":           {"frame, _ := runtime.CallersFrames([]uintptr{12345}).Next(); frame.Function", ""},
		"FuncForPC":               {"runtime.FuncForPC(12345) == nil", "true"},
		"GC":                      {"runtime.GC(); 1", "1"},
		"GOMAXPROCS":              {"runtime.GOMAXPROCS(-5) > 0", "true"},
		"GOROOT":                  {"_ = runtime.GOROOT(); 1", "1"},
		"Goexit":                  {"runtime.Goexit()", ""},
		"GoroutineProfile":        {"n, ok := runtime.GoroutineProfile(nil); m, all := runtime.GoroutineProfile(make([]runtime.StackRecord, 1)); fmt.Sprint(n, ok, m, all)", "1 false 1 true"},
		"Gosched":                 {"runtime.Gosched(); 1", "1"},
		"KeepAlive":               {"runtime.KeepAlive(nil); 1", "1"},
		"LockOSThread":            {"go runtime.LockOSThread(); runtime.LockOSThread(); 1", "1"},
		"MemProfile":              {"n, _ := runtime.MemProfile(nil, true); n >= 0", "true"},
		"MutexProfile":            {"n, _ := runtime.MutexProfile(nil); n >= 0", "true"},
		"NumCPU":                  {"runtime.NumCPU() > 0", "true"},
		"NumCgoCall":              {"runtime.NumCgoCall() >= 0", "true"},
		"NumGoroutine":            {"runtime.NumGoroutine()", "1"},
		"ReadMemStats":            {"runtime.ReadMemStats(new(runtime.MemStats)); 1", "1"},
		"ReadTrace":               {"go func() { for runtime.ReadTrace() != nil { } }(); err := runtime.StartTrace(); runtime.StopTrace(); err", "<nil>"},
		"SetBlockProfileRate":     {"runtime.SetBlockProfileRate(-1); 1", "1"},
		"SetCPUProfileRate":       {"runtime.SetCPUProfileRate(0); 1", "1"},
		"SetCgoTraceback":         {"runtime.SetCgoTraceback(5, nil, nil, nil)", "unsupported version"},
		"SetDefaultGOMAXPROCS":    {"runtime.SetDefaultGOMAXPROCS(); 1", "1"},
		"SetFinalizer":            {"runtime.SetFinalizer(3, nil)", "runtime.SetFinalizer: first argument is int, not pointer"},
		"SetMutexProfileFraction": {"runtime.SetMutexProfileFraction(-1)", "0"},
		"Stack":                   {"runtime.Stack(nil, true)", "0"},
		"StartTrace":              {"go func() { for runtime.ReadTrace() != nil { } }(); err := runtime.StartTrace(); runtime.StopTrace(); err", "<nil>"},
		"StopTrace":               {"runtime.StopTrace(); runtime.StopTrace(); 1", "1"},
		"ThreadCreateProfile":     {"n, _ := runtime.ThreadCreateProfile(nil); n > 0", "true"},
		"UnlockOSThread":          {"runtime.UnlockOSThread(); 1", "1"},
		"Version":                 {"len(runtime.Version()) > 3", "true"},
	},
	"runtime/debug": {
		"FreeOSMemory":    {"debug.FreeOSMemory(); 1", "1"},
		"ParseBuildInfo":  {"_, err := debug.ParseBuildInfo(`x`); err == nil", "true"},
		"PrintStack":      {"debug.PrintStack(); 1", "1"},
		"ReadBuildInfo":   {"_, ok := debug.ReadBuildInfo(); ok", "true"},
		"ReadGCStats":     {"debug.ReadGCStats(new(debug.GCStats)); 1", "1"},
		"SetCrashOutput":  {"debug.SetCrashOutput(nil, debug.CrashOptions{})", ""},
		"SetGCPercent":    {"debug.SetGCPercent(debug.SetGCPercent(100)); 1", "1"},
		"SetMaxStack":     {"debug.SetMaxStack(1)", "1000000000"},
		"SetMaxThreads":   {"debug.SetMaxThreads(1)", "10000"},
		"SetMemoryLimit":  {"debug.SetMemoryLimit(-1) > 0", "true"},
		"SetPanicOnFault": {"debug.SetPanicOnFault(true)", "true"},
		"SetTraceback":    {"debug.SetTraceback(`nonsense`); 1", "1"},
		"Stack":           {"len(debug.Stack()) > 0", "true"},
		"WriteHeapDump":   {"debug.WriteHeapDump(1 << 30); 1", "1"},
	},
	"reflect": {
		"Append":          {"reflect.Append(reflect.ValueOf([]int{1}), reflect.ValueOf(`x`))", "reflect.Set: value of type string is not assignable to type int"},
		"AppendSlice":     {"reflect.AppendSlice(reflect.ValueOf([]int{1}), reflect.ValueOf([]int{2})).Len()", "2"},
		"ArrayOf":         {"reflect.ArrayOf(-1, reflect.TypeFor[int]())", "reflect: negative length passed to ArrayOf"},
		"ChanOf":          {"reflect.ChanOf(reflect.BothDir, reflect.TypeFor[[1 << 16]int]())", "reflect.ChanOf: element size too large"},
		"Copy":            {"reflect.Copy(reflect.ValueOf(1), reflect.ValueOf(2))", "reflect: call of reflect.Copy on int Value"},
		"DeepEqual":       {"type ring struct{ *ring }; a, b := new(ring), new(ring); a.ring, b.ring = a, b; reflect.DeepEqual(a, b)", "true"},
		"FuncOf":          {"reflect.FuncOf(nil, nil, true)", "reflect.FuncOf: last arg of variadic func must be slice"},
		"Indirect":        {"reflect.Indirect(reflect.ValueOf((*int)(nil))).IsValid()", "false"},
		"MakeChan":        {"reflect.MakeChan(reflect.TypeFor[chan int](), 1<<40)", "out of memory: 8 TB wanted"},
		"MakeFunc":        {"reflect.MakeFunc(reflect.TypeFor[func() int](), func([]reflect.Value) []reflect.Value { return nil }).Call(nil)", "reflect: wrong return count from function created by MakeFunc"},
		"MakeMap":         {"reflect.MakeMap(reflect.TypeFor[int]())", "reflect.MakeMapWithSize of non-map type"},
		"MakeMapWithSize": {"reflect.MakeMapWithSize(reflect.TypeFor[map[int]int](), 1<<40)", "out of memory: 8 TB wanted"},
		"MakeSlice":       {"reflect.MakeSlice(reflect.TypeFor[[]byte](), 1<<45, 1<<45)", "out of memory: 32 TB wanted"},
		"MapOf":           {"reflect.MapOf(reflect.TypeFor[[]int](), reflect.TypeFor[int]())", "reflect.MapOf: invalid key type []int"},
		"New":             {"reflect.New(reflect.ArrayOf(1<<40, reflect.TypeFor[int]()))", "out of memory: 8 TB wanted"},
		"NewAt":           {"reflect.NewAt(reflect.TypeFor[int](), nil).IsNil()", "true"},
		"PointerTo":       {"reflect.PointerTo(reflect.TypeFor[int]()).String()", "*int"},
		"PtrTo":           {"reflect.PtrTo(reflect.TypeFor[int]()).String()", "*int"},
		"Select":          {"reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectDefault}, {Dir: reflect.SelectDefault}})", "reflect.Select: multiple default cases"},
		"SliceAt":         {"reflect.SliceAt(reflect.TypeFor[int](), nil, -1)", "unsafe.Slice: len out of range"},
		"SliceOf":         {"reflect.SliceOf(reflect.TypeFor[int]()).String()", "[]int"},
		"StructOf":        {"reflect.StructOf([]reflect.StructField{{Name: `a`}})", "reflect.StructOf: field 0 has no type"},
		"Swapper":         {"reflect.Swapper([]int{1})(0, 5)", "reflect: slice index out of range"},
		"TypeAssert":      {"_, ok := reflect.TypeAssert[string](reflect.ValueOf(1)); ok", "false"},
		"TypeFor":         {"reflect.TypeFor[error]().String()", "error"},
		"TypeOf":          {"reflect.TypeOf(nil) == nil", "true"},
		"ValueOf":         {"reflect.ValueOf(nil).IsValid()", "false"},
		"VisibleFields":   {"reflect.VisibleFields(reflect.TypeFor[int]())", "reflect.VisibleFields of non-struct type"},
		"Zero":            {"reflect.Zero(reflect.ArrayOf(1<<40, reflect.TypeFor[int]()))", "out of memory: 8 TB wanted"},
	},
	"testing": {
		"AllocsPerRun":  {"testing.AllocsPerRun(1, func() {}) >= 0", "true"},
		"Benchmark":     {"testing.Benchmark(func(b *testing.B) { b.SkipNow() }).N", "0"},
		"CoverMode":     {"testing.CoverMode()", ""},
		"Coverage":      {"testing.Coverage()", "0"},
		"Init":          {"testing.Init(); testing.Init(); 1", "1"},
		"Main":          {"testing.Main(nil, nil, nil, nil)", "testing.Main ends the process when the tests are over; call them yourself"},
		"MainStart":     {"testing.MainStart(nil, nil, nil, nil, nil)", "testing.MainStart ends the process when the tests are over; call them yourself"},
		"RegisterCover": {"testing.RegisterCover(testing.Cover{}); 1", "1"},
		"RunBenchmarks": {"testing.RunBenchmarks(nil, nil); 1", "1"},
		"RunExamples":   {"testing.RunExamples(func(string, string) (bool, error) { return true, nil }, nil)", "true"},
		"RunTests":      {"testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: \"T\", F: func(*testing.T) {}}})", "true"},
		"Short":         {"testing.Short(); 1", "1"},
		"Testing":       {"testing.Testing()", "true"},
		"Verbose":       {"testing.Verbose(); 1", "1"},
	},
	"os/signal": {
		"Ignore":        {"signal.Ignore(os.Interrupt, nil); 1", "1"},
		"Ignored":       {"signal.Ignored(os.Interrupt)", "false"},
		"Notify":        {"signal.Notify(nil)", "os/signal: Notify using nil channel"},
		"NotifyContext": {"ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt); stop(); <-ctx.Done(); 1", "1"},
		"Reset":         {"signal.Reset(); 1", "1"},
		"Stop":          {"signal.Stop(nil); 1", "1"},
	},
	"unsafe": {
		"Add":        {"var a [2]int; a[1] = 5; *(*int)(unsafe.Add(unsafe.Pointer(&a), 8))", "5"},
		"Alignof":    {"unsafe.Alignof(1)", "8"},
		"Offsetof":   {"var s struct{ a, b int }; unsafe.Offsetof(s.b)", "8"},
		"Sizeof":     {"unsafe.Sizeof(1)", "8"},
		"Slice":      {"var b byte; n := -1; unsafe.Slice(&b, n)", "unsafe.Slice: len out of range"},
		"SliceData":  {"unsafe.SliceData([]int(nil)) == nil", "true"},
		"String":     {"n := 1; unsafe.String((*byte)(nil), n)", "unsafe.String: ptr is nil and len is not zero"},
		"StringData": {"unsafe.StringData(`x`) != nil", "true"},
	},
}

func TestEachFunctionThatReachesTheRuntimeIsTried(t *testing.T) {
	s := newTestSession(t)
	for path, rows := range functionRows {
		p, err := s.library.Import(path)
		if path == "unsafe" {
			p, err = types.Unsafe, nil
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.Scope().Names() {
			o := p.Scope().Lookup(name)
			_, isFunction := o.(*types.Func)
			_, isBuiltin := o.(*types.Builtin)
			if token.IsExported(name) && (isFunction || isBuiltin) && rows[name].code == "" {
				t.Errorf("%s.%s has no row", path, name)
			}
		}
		for name, r := range rows {
			t.Run(path+"."+name, func(t *testing.T) {
				s := newTestSession(t)
				end, _, ok := playCell(s, 1, `import ("context"; "os"; "`+path+`"); var _, _ = context.Canceled, os.Args`+"\n"+r.code)
				got := ""
				switch {
				case !ok:
					t.Fatal("the cell does not end")
				case end.failure != nil:
					got = end.failure.value
				case end.shown != nil:
					got, _ = end.shown.data["text/plain"].(string)
				}
				if got != r.want && (end.failure == nil || len(r.want) < 10 || len(got) < len(r.want) || got[:len(r.want)] != r.want) {
					t.Errorf("%s\ngot  %s\nwant %s", r.code, got, r.want)
				}
			})
		}
	}
}
