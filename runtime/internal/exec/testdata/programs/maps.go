// Maps.

package programs

import "fmt"

func sortedKeys(m map[string]int) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	for i := range keys {
		for j := i; j > 0 && keys[j] < keys[j-1]; j-- {
			keys[j], keys[j-1] = keys[j-1], keys[j]
		}
	}
	return keys
}

// Maps are the programs of this file.
var Maps = map[string]func() string{
	"keys of many types": func() string {
		var r result
		ints, texts, floats := map[int]string{}, map[string]int{}, map[float64]int{}
		bytes, points, arrays := map[uint8]int{}, map[point]string{}, map[[2]string]bool{}
		anys, pointers, bools := map[any]int{}, map[*point]int{}, map[bool]int{}
		p := &point{1, 2}
		for i := range 300 {
			ints[i*7919] += fmt.Sprint(i)
			texts[fmt.Sprint(i%37)] += i
			floats[float64(i%11)/4]++
			bytes[uint8(i)]++
			points[point{i % 5, i % 3}] = fmt.Sprint(i)
			arrays[[2]string{"a", fmt.Sprint(i % 9)}] = i%2 == 0
			anys[i%4]++
			anys[fmt.Sprint(i%4)]--
			anys[point{i % 2, 0}] += 2
			pointers[p] += i
			bools[i%3 == 0]++
		}
		r.add(len(ints), len(texts), floats, len(bytes), bytes[7], points, arrays, anys[1], anys["1"], anys[point{1, 0}], anys[nil], pointers[p], bools)
		r.add(ints[7919], ints[5], texts["36"], texts["x"], sortedKeys(texts))
		return r.text()
	},
	"comma ok and delete": func() string {
		var r result
		m := map[string]point{"a": {1, 2}, "b": {}}
		v, ok := m["a"]
		_, no := m["c"]
		r.add(v, ok, no, m["b"].Y, len(m))
		delete(m, "a")
		delete(m, "zz")
		r.add(m, m["a"])
		m["n"] = point{Y: 5}
		clear(m)
		r.add(m, len(m))
		return r.text()
	},
	"nil maps": func() string {
		var r result
		var m map[string]int
		v, ok := m["x"]
		delete(m, "x")
		clear(m)
		for range m {
			r.add("never")
		}
		r.add(v, ok, len(m), m == nil, try(func() { m["x"] = 1 }), try(func() { m["x"]++ }))
		return r.text()
	},
	"unhashable keys": func() string {
		var r result
		m := map[any]int{1: 1}
		for _, k := range []any{[]int{1}, map[int]int{}, func() {}, struct{ F any }{[]int{}}} {
			r.add(try(func() { r.add(m[k]) }), try(func() { m[k] = 1 }), try(func() { delete(m, k) }), try(func() { _, ok := m[k]; r.add(ok) }))
		}
		return r.text()
	},
	"operations on entries": func() string {
		m := map[string][]int{}
		n := map[string]*point{"p": {1, 2}}
		k := map[int]map[string]int{}
		for i := range 6 {
			key := fmt.Sprint(i % 2)
			m[key] = append(m[key], i)
			n["p"].X += i
			if k[i%3] == nil {
				k[i%3] = map[string]int{}
			}
			k[i%3][key] |= 1 << i
		}
		m["0"][1] *= 10
		return fmt.Sprint(m, *n["p"], k)
	},
	"changes while ranging": func() string {
		m := map[int]int{}
		for i := range 100 {
			m[i] = i
		}
		seen := 0
		for k := range m {
			seen++
			delete(m, k)
			delete(m, 99-k)
		}
		return fmt.Sprint(len(m), seen)
	},
	"values that are not a number": func() string {
		m := map[float64]int{}
		zero := 0.0
		m[zero/zero]++
		m[zero/zero]++
		_, ok := m[zero/zero]
		return fmt.Sprint(len(m), ok)
	},
	"large values": func() string {
		m := map[string][40]int{}
		var a [40]int
		a[39] = 7
		m["a"] = a
		a[39] = 8
		v, ok := m["b"]
		return fmt.Sprint(m["a"][39], v[0], ok, len(m))
	},
}
