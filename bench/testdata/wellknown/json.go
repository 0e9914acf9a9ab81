package p

import (
	"strconv"
	"strings"
)

// A parser of JSON by recursive descent, on a text with n objects.

type parser struct {
	text string
	at   int
}

func (p *parser) skip() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\n' || p.text[p.at] == ',' || p.text[p.at] == ':') {
		p.at++
	}
}

func (p *parser) parse() any {
	p.skip()
	switch c := p.text[p.at]; c {
	case '[':
		var list []any
		for p.at++; ; list = append(list, p.parse()) {
			if p.skip(); p.text[p.at] == ']' {
				p.at++
				return list
			}
		}
	case '{':
		fields := map[string]any{}
		for p.at++; ; {
			if p.skip(); p.text[p.at] == '}' {
				p.at++
				return fields
			}
			name := p.parse().(string)
			fields[name] = p.parse()
		}
	case '"':
		p.at++
		from := p.at
		for p.text[p.at] != '"' {
			p.at++
		}
		p.at++
		return p.text[from : p.at-1]
	}
	number := 0.0
	for p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9' {
		number = 10*number + float64(p.text[p.at]-'0')
		p.at++
	}
	return number
}

func total(v any) float64 {
	sum := 0.0
	switch v := v.(type) {
	case float64:
		return v
	case string:
		return float64(len(v))
	case []any:
		for _, e := range v {
			sum += total(e)
		}
	case map[string]any:
		for _, e := range v {
			sum += total(e)
		}
	}
	return sum
}

func Run(n int) int {
	var b strings.Builder
	b.WriteString("[")
	for i := range n {
		number := strconv.Itoa(i)
		b.WriteString(`{"key": ` + number + `, "title": "entry ` + number + `", "words": ["x", "yy"], "values": [7, 8, ` + number + "]},\n")
	}
	b.WriteString("]")
	p := &parser{text: b.String()}
	return int(total(p.parse()))
}
