package corruption_test

import (
	"fmt"
	"image"
	"image/color"

	"gosphere/asymvlm/corruption"
)

// One photograph at all severities of a corruption. Each item of a data set should have its own
// seed.
func ExampleImage() {
	photo := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	for i := range 32 * 32 {
		photo.SetNRGBA(i%32, i/32, color.NRGBA{uint8(8 * (i % 32)), uint8(8 * (i / 32)), 90, 255})
	}
	for severity := 1; severity <= 5; severity++ {
		damaged, err := corruption.Image("contrast", photo, severity, 7)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(severity, damaged.NRGBAAt(0, 0), damaged.NRGBAAt(31, 31))
	}
	// Output:
	// 1 {74 74 90 255} {174 174 90 255}
	// 2 {87 87 90 255} {161 161 90 255}
	// 3 {99 99 90 255} {149 149 90 255}
	// 4 {112 112 90 255} {136 136 90 255}
	// 5 {118 118 90 255} {130 130 90 255}
}

func ExampleText() {
	const caption = "a young man is riding a brown horse near the ocean"
	for _, name := range []string{"keyboard", "word-swap", "synonym"} {
		damaged, err := corruption.Text(name, caption, 0.3, 5)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %s\n", name, damaged)
	}
	// Output:
	// keyboard: a young man is ridinf a brown horse near the ocean
	// word-swap: a young man riding is a ocean horse near the brown
	// synonym: a youthful man is driving a brown horse beside the ocean
}

// An omitted, a misspelled and a repeated word: each is one error relative to the number of words.
func ExampleWordErrorRate() {
	rate, err := corruption.WordErrorRate("a dog on a sofa", "a dogg a a sofa sofa")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rate)
	// Output: 0.6
}
