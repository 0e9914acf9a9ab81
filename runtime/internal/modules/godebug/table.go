package godebug

// A setting is known to the go command.
type setting struct {
	name    string
	changed int    // minor version of Go in which the default changed, or 0
	old     string // the default before
	// starts reports whether the setting takes effect only when a process starts, so that a program
	// in a session cannot change it.
	starts bool
}

// known are the settings of Go 1.27. A test compares them with those of the toolchain.
var known = []setting{
	{name: "allowmultiplevcs"},
	{name: "containermaxprocs", changed: 25, old: "0", starts: true},
	{name: "cryptocustomrand", changed: 26, old: "1"},
	{name: "dataindependenttiming", starts: true},
	{name: "decoratemappings", changed: 25, old: "0", starts: true},
	{name: "embedfollowsymlinks"},
	{name: "execerrdot"},
	{name: "fips140", starts: true},
	{name: "fips140ems"},
	{name: "gocachehash"},
	{name: "gocachetest"},
	{name: "gocacheverify"},
	{name: "gotestjsonbuildtext", changed: 24, old: "1"},
	{name: "htmlmetacontenturlescape"},
	{name: "http2client"},
	{name: "http2debug"},
	{name: "http2server"},
	{name: "httpcookiemaxnum", changed: 24, old: "0"},
	{name: "httplaxcontentlength", changed: 22, old: "1"},
	{name: "httpmuxgo121", changed: 22, old: "1"},
	{name: "httpservecontentkeepheaders", changed: 23, old: "1"},
	{name: "httpservecontentmaxranges", changed: 26, old: "1"},
	{name: "installgoroot"},
	{name: "jstmpllitinterp"},
	{name: "multipartmaxheaders"},
	{name: "multipartmaxparts"},
	{name: "multipathtcp", changed: 24, old: "0"},
	{name: "netdns"},
	{name: "netedns0", changed: 19, old: "0"},
	{name: "panicnil", changed: 21, old: "1"},
	{name: "randautoseed"},
	{name: "randseednop", changed: 24, old: "0"},
	{name: "rsa1024min", changed: 24, old: "0"},
	{name: "tarinsecurepath"},
	{name: "tlsmaxrsasize"},
	{name: "tlsmlkem", changed: 24, old: "0"},
	{name: "tlssecpmlkem", changed: 26, old: "0"},
	{name: "tlssha1", changed: 25, old: "1"},
	{name: "tracebacklabels", changed: 27, old: "0"},
	{name: "updatemaxprocs", changed: 25, old: "0", starts: true},
	{name: "urlmaxqueryparams", changed: 24, old: "0"},
	{name: "urlstrictcolons", changed: 26, old: "0"},
	{name: "winreadlinkvolume", changed: 23, old: "0"},
	{name: "winsymlink", changed: 23, old: "0"},
	{name: "x509negativeserial", changed: 23, old: "1"},
	{name: "x509rsacrt", changed: 24, old: "0"},
	{name: "x509sha256skid", changed: 25, old: "0"},
	{name: "x509sslcertoverrideplatform", changed: 27, old: "0"},
	{name: "x509usefallbackroots"},
	{name: "x509usepolicies", changed: 24, old: "0"},
	{name: "zipinsecurepath"},
}

// removed are the settings that earlier versions of Go had.
var removed = []struct {
	name string
	in   int      // minor version of Go
	old  []string // values that are errors
}{
	{"x509sha1", 24, []string{"1"}},
	{"tlskyber", 24, []string{"0"}},
	{"gotypesalias", 27, []string{"0"}},
	{"tlsunsafeekm", 27, []string{"1"}},
	{"tlsrsakex", 27, []string{"1"}},
	{"tls3des", 27, []string{"1"}},
	{"tls10server", 27, []string{"1"}},
	{"x509keypairleaf", 27, []string{"0"}},
	{"asynctimerchan", 27, []string{"1", "2"}},
}
