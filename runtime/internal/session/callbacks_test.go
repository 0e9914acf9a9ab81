package session

import (
	"testing"
)

// callbackCells call functions and methods of cells from compiled code, one for each shape with
// more than two parameters or more than one result. The texts are those of compiled Go.
var callbackCells = []struct{ code, want string }{
	{`type byLast []string
func (s byLast) Len() int           { return len(s) }
func (s byLast) Less(i, j int) bool { return s[i][len(s[i])-1] < s[j][len(s[j])-1] }
func (s byLast) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
words := byLast{"cad", "bac", "fab", "dea"}
sort.Sort(words)
fmt.Print(words, sort.IsSorted(words))
sort.Stable(sort.Reverse(words))
fmt.Print(words)`, "[dea fab bac cad] true[cad bac fab dea]"},
	{`type queue []int
func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i] < q[j] }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(int)) }
func (q *queue) Pop() any          { old := *q; x := old[len(old)-1]; *q = old[:len(old)-1]; return x }
q := &queue{5, 2, 8}
heap.Init(q)
heap.Push(q, 1)
for q.Len() > 0 { fmt.Print(heap.Pop(q), " ") }`, "1 2 5 8 "},
	{`type upper struct{ r io.Reader; calls int }
func (u *upper) Read(p []byte) (int, error) { u.calls++; n, err := u.r.Read(p[:min(3, len(p))]); copy(p, bytes.ToUpper(p[:n])); return n, err }
text, err := io.ReadAll(&upper{r: strings.NewReader("hello, world")})
fmt.Print(string(text), err)`, "HELLO, WORLD<nil>"},
	{`type counter struct{ n int }
func (c *counter) Write(p []byte) (int, error) { c.n += len(p); if c.n > 20 { return 0, errors.New("full") }; return len(p), nil }
func (c *counter) WriteString(s string) (int, error) { c.n += 100; return len(s), nil }
c := &counter{}
fmt.Fprintf(c, "%d %s", 12, "abc"); n, err := io.WriteString(c, "xyz"); fmt.Print(c.n, n, err)
_, err = fmt.Fprint(c, "x"); fmt.Print(err)`, "106 3 <nil>full"},
	{`s := bufio.NewScanner(strings.NewReader("a-bc--d"))
s.Split(func(data []byte, end bool) (int, []byte, error) { if i := bytes.IndexByte(data, '-'); i >= 0 { return i + 1, data[:i], nil }; if end && len(data) > 0 { return len(data), data, nil }; return 0, nil, nil })
for s.Scan() { fmt.Printf("%q ", s.Text()) }`, `"a" "bc" "" "d" `},
	{`fmt.Print(strings.Map(func(r rune) rune { if r == 'o' { return -1 }; return unicode.ToUpper(r) }, "foo bär"), strings.IndexFunc("ab1", unicode.IsDigit))`, "F BÄR2"},
	{`type hex int
func (h hex) Format(f fmt.State, verb rune) { w, ok := f.Width(); fmt.Fprintf(f, "<%c %d %v %x>", verb, w, ok, int(h)) }
fmt.Printf("%5d|%v", hex(255), hex(10))`, "<d 5 true ff>|<v 0 false a>"},
	{`type celsius float64
func (c celsius) MarshalJSON() ([]byte, error) { if c < -273 { return nil, errors.New("too cold") }; return fmt.Appendf(nil, "%.1f", float64(c)), nil }
func (c *celsius) UnmarshalJSON(b []byte) error { var f float64; err := json.Unmarshal(b, &f); *c = celsius(f) + 1; return err }
out, err := json.Marshal([]celsius{1, 2}); fmt.Print(string(out), err)
_, err = json.Marshal(celsius(-300)); fmt.Print(err)
var back celsius; fmt.Print(json.Unmarshal([]byte("3.5"), &back), back)`, "[1.0,2.0]<nil>json: error calling MarshalJSON for type *main.celsius: too cold<nil> 4.5"},
	{`h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path, r.Method) })
type logged struct{ inner http.Handler; seen *[]string }
func (l logged) ServeHTTP(w http.ResponseWriter, r *http.Request) { *l.seen = append(*l.seen, r.URL.Path); l.inner.ServeHTTP(w, r) }
var seen []string
rec := httptest.NewRecorder()
http.StripPrefix("/a", logged{h, &seen}).ServeHTTP(rec, httptest.NewRequest("GET", "/a/b", nil))
fmt.Print(rec.Body.String(), seen)`, "/bGET[/b]"},
	{`type checks struct{}
func (checks) ColorModel() color.Model { return color.GrayModel }
func (checks) Bounds() image.Rectangle { return image.Rect(0, 0, 4, 4) }
func (checks) At(x, y int) color.Color { return color.Gray{uint8(60 * ((x + y) % 2))} }
to := image.NewGray(image.Rect(0, 0, 4, 4))
draw.Draw(to, to.Bounds(), checks{}, image.Point{}, draw.Src)
fmt.Print(to.Pix[:6])`, "[0 60 0 60 60 0]"},
	{`type dark struct{}
func (dark) RGBA() (r, g, b, a uint32) { return 1 << 8, 2 << 8, 3 << 8, 0xffff }
fmt.Print(color.RGBAModel.Convert(dark{}), color.GrayModel.Convert(dark{}))`, "{1 2 3 255} {1}"},
	{`type canvas struct{ *image.RGBA; set int }
func (c *canvas) Set(x, y int, k color.Color) { c.set++; c.RGBA.Set(x, y, k) }
cv := &canvas{RGBA: image.NewRGBA(image.Rect(0, 0, 2, 2))}
draw.Draw(cv, cv.Bounds(), image.NewUniform(dark{}), image.Point{}, draw.Over)
fmt.Print(cv.set, cv.Pix[:4])`, "0 [1 2 3 255]"},
	{`import mathrand "math/rand/v2"
type steps struct{ n uint64 }
func (s *steps) Uint64() uint64 { s.n += 1 << 40; return s.n << 20 }
rnd := mathrand.New(&steps{})
fmt.Print(rnd.IntN(1000), rnd.IntN(1000))`, "62 187"},
	{`type sum struct{ n uint32 }
func (s *sum) Write(p []byte) (int, error) { for _, b := range p { s.n += uint32(b) }; return len(p), nil }
func (s *sum) Sum(b []byte) []byte { return append(b, byte(s.n)) }
func (s *sum) Sum32() uint32 { return s.n }
func (s *sum) Reset() { s.n = 0 }
func (s *sum) Size() int { return 1 }
func (s *sum) BlockSize() int { return 1 }
mac := hmac.New(func() hash.Hash { return &sum{} }, []byte("k"))
mac.Write([]byte("abc"))
var h32 hash.Hash32 = &sum{n: 7}
fmt.Print(mac.Sum(nil), h32.Sum32())`, "[186] 7"},
	{`folder, _ := os.MkdirTemp("", "walk"); os.WriteFile(filepath.Join(folder, "f"), nil, 0o600)
filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error { if path != folder { fmt.Print(d.Name(), d.IsDir(), err) }; return nil })
os.RemoveAll(folder)`, "ffalse <nil>"},
	{`type letters struct{ s string }
func (l *letters) ReadByte() (byte, error) { if l.s == "" { return 0, io.EOF }; b := l.s[0]; l.s = l.s[1:]; return b, nil }
v, err := binary.ReadUvarint(&letters{"\xac\x02"}); fmt.Print(v, err)
_, err = binary.ReadUvarint(&letters{"\xac"}); fmt.Print(err)`, "300 <nil>unexpected EOF"},
	{`type runes struct{ list []rune }
func (r *runes) ReadRune() (rune, int, error) { if len(r.list) == 0 { return 0, 0, io.EOF }; x := r.list[0]; r.list = r.list[1:]; return x, utf8.RuneLen(x), nil }
fmt.Print(regexp.MustCompile("b+ä").FindReaderIndex(&runes{[]rune("aabbä")}))`, "[2 6]"},
	{`type at string
func (a at) ReadAt(p []byte, off int64) (int, error) { if off >= int64(len(a)) { return 0, io.EOF }; n := copy(p, a[off:]); if n < len(p) { return n, io.EOF }; return n, nil }
part, err := io.ReadAll(io.NewSectionReader(at("hello, world"), 3, 5)); fmt.Print(string(part), err)`, "lo, w<nil>"},
	{`type seeker struct{ at int64 }
func (s *seeker) Seek(offset int64, whence int) (int64, error) { if whence == io.SeekStart { s.at = offset } else { s.at += offset }; return s.at, nil }
func (s *seeker) Read(p []byte) (int, error) { return 0, io.EOF }
var rs io.ReadSeeker = &seeker{}
n, err := rs.Seek(5, io.SeekStart); fmt.Print(n, err)
http.ServeContent(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), "x.txt", time.Time{}, rs)`, "5 <nil>"},
	{`type trip func(*http.Request) (*http.Response, error)
func (t trip) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }
client := &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) { if r.URL.Host == "no" { return nil, errors.New("no host") }; return &http.Response{StatusCode: 203, Body: io.NopCloser(strings.NewReader("made")), Request: r}, nil })}
resp, err := client.Get("http://yes/"); text, _ := io.ReadAll(resp.Body); fmt.Print(resp.StatusCode, string(text), err)
_, err = client.Get("http://no/"); fmt.Print(err)`, `203made<nil>Get "http://no/": no host`},
	{`type wt struct{}
func (wt) Read([]byte) (int, error) { return 0, errors.New("not this way") }
func (wt) WriteTo(w io.Writer) (int64, error) { n, err := io.WriteString(w, "direct"); return int64(n), err }
var buf strings.Builder
n, err := io.Copy(&buf, wt{}); fmt.Print(n, err, buf.String())`, "6 <nil>direct"},
	{`m := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
m.Apply(func(i, j int, v float64) float64 { return float64(10*i+j) + v }, m)
type ident int
func (n ident) Dims() (r, c int) { return int(n), int(n) }
func (n ident) At(i, j int) float64 { if i == j { return 2 }; return 0 }
func (n ident) T() mat.Matrix { return n }
var out mat.Dense
out.Mul(m, ident(2))
fmt.Print(out.RawMatrix().Data)`, "[2 6 26 30]"},
	{`type tree struct{ name string }
func (t tree) Open(name string) (fs.File, error) { if name != t.name { return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist} }; return os.Open(os.DevNull) }
_, err := fs.ReadFile(tree{"x"}, "y"); data, err2 := fs.ReadFile(tree{"x"}, "x"); fmt.Print(err, data, err2)`, "open y: file does not exist [] <nil>"},
	{`type frail []int
func (f frail) Len() int { return len(f) }
func (f frail) Less(i, j int) bool { return f[i] < f[j+len(f)] }
func (f frail) Swap(i, j int) { panic("swap") }
func() { defer func() { fmt.Print(recover()) }(); sort.Sort(frail{2, 1}) }()
fmt.Print(sort.SearchInts([]int{1, 2}, 2))
sorted := make(chan bool)
for range 4 { go func() { defer func() { fmt.Sprint(recover()); sorted <- true }(); for range 50 { sort.Sort(byLast{"ab", "ba"}) }; sort.Sort(frail{2, 1}) }() }
for range 4 { <-sorted }`, "runtime error: index out of range [2] with length 21"},
}

func TestCallbacksOfManyShapes(t *testing.T) {
	s := newTestSession(t)
	for i, c := range callbackCells {
		end, output, ok := playCell(s, i+1, c.code)
		if !ok || end.failure != nil || output != c.want {
			t.Errorf("%s\ngot  %q, %v\nwant %q", c.code, output, end.failure, c.want)
		}
	}
}
