package export_test

import (
	"fmt"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/export"
	"gosphere/asymvlm/sphere"
)

// Two texts, of which the second is more certain, become rows that any inner-product engine ranks
// by log-likelihood.
func ExampleTexts() {
	natural, _ := embedding.MatrixFromRows([][]float64{{2, 0, 0}, {0, 9, 0}})
	images, _ := embedding.MatrixFromRows([][]float64{{3, 0, 0}, {0, 5, 0}, {4, 4, 0}})
	normalizer, err := sphere.NewVonMisesFisherNormalizer(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err := export.Texts(natural, normalizer)
	if err != nil {
		fmt.Println(err)
		return
	}
	queries, err := export.Images(images)
	if err != nil {
		fmt.Println(err)
		return
	}
	for image := range queries.Rows {
		for text := range rows.Rows {
			product := 0.0
			for k, value := range rows.Row64(text) {
				product += value * queries.Row64(image)[k]
			}
			fmt.Printf("image %d, text %d: %.2f\n", image, text, product)
		}
	}
	report, err := export.Check(natural, images, normalizer, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Queries, "queries,", report.Different, "with another order")
	// Output:
	// image 0, text 0: 1.40
	// image 0, text 1: -6.11
	// image 1, text 0: -0.60
	// image 1, text 1: 2.89
	// image 2, text 0: 0.82
	// image 2, text 1: 0.25
	// 5 queries, 0 with another order
}
