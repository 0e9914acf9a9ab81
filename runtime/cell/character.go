package cell

import (
	"strconv"
	"strings"
)

// A characterRule says what to write instead of characters that Go does not know. Texts from web
// pages and documents contain them.
type characterRule struct {
	characters string
	name       string // of a character that cannot be seen or is easily mistaken
	instead    string
}

var characterRules = []characterRule{
	{"\u00a0\u202f\u2007", "a no-break space", "write an ordinary space"},
	{"\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u205f\u3000\u1680", "a space of another width", "write an ordinary space"},
	{"\u200b\u2060\ufeff", "a space without width, which cannot be seen", "delete it"},
	{"\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u00ad", "a mark that cannot be seen", "delete it"},
	{"\u2028\u2029\u0085", "a line separator", "write an ordinary line end"},
	{"\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63", "a dash", "write -"},
	{"\u00b4\u02cb\u2035", "an accent", "write ` (a back quote)"},
	{"\u2018\u2019\u201a\u201b\u2032\u02bc", "a quotation mark", "write ' around a character and \" around a text"},
	{"\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f", "a quotation mark", "write \""},
	{"\u00d7\u22c5\u00b7\u2217\u2022", "", "write *"}, {"\u00f7\u2215\u2044", "", "write /"},
	{"\u2264\u2a7d", "", "write <="}, {"\u2265\u2a7e", "", "write >="}, {"\u2260", "", "write !="}, {"\u2261", "", "write =="}, {"\u2254", "", "write :="},
	{"\u2190", "", "write <-"}, {"\u2192\u21d2", "", "results follow the parameters without an arrow; a function literal is func(x int) int { return x }"},
	{"\u2227", "", "write &&"}, {"\u2228", "", "write ||"}, {"\u00ac", "", "write !"}, {"\u2026", "", "write ..."},
	{"\u00b2\u00b3\u00b9\u2070\u2074", "", "there are no powers: write x*x or math.Pow(x, y)"}, {"\u221a", "", "write math.Sqrt(x)"}, {"\u221e", "", "write math.Inf(1)"},
	{"\u3001", "", "write ,"}, {"\u3002", "", "write ."}, {"\u3010\u3014", "a bracket", "write ["}, {"\u3011\u3015", "a bracket", "write ]"}, {"\u3008\u300a", "a bracket", "write <"}, {"\u3009\u300b", "a bracket", "write >"},
}

// characterHint returns what to write instead of the character that an error of the scanner names,
// or "". The message contains its code point, as in illegal character U+2013.
func characterHint(message string) string {
	_, code, found := strings.Cut(message, "illegal character U+")
	if !found {
		if strings.Contains(message, "illegal byte order mark") {
			return "a byte order mark cannot be seen: delete it"
		}
		return ""
	}
	code, _, _ = strings.Cut(code, " ")
	n, err := strconv.ParseUint(code, 16, 32)
	if err != nil {
		return ""
	}
	r := rune(n)
	// The characters of full width are in the order of ASCII.
	if r >= 0xff01 && r <= 0xff5e {
		return "this is a character of full width: write " + string(r-0xfee0)
	}
	for _, rule := range characterRules {
		if !strings.ContainsRune(rule.characters, r) {
			continue
		}
		if rule.name == "" {
			return rule.instead
		}
		return "this is " + rule.name + ": " + rule.instead
	}
	return ""
}
