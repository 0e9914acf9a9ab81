package chart_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gosphere/plotting/chart"
)

// A sale is a row of the examples.
type sale struct {
	City   string
	Kind   string
	Weight float64 `table:"weight"`
	Price  float64 `table:"price"`
	Units  int     `table:"units"`
	Date   time.Time
}

// sales returns the rows of the examples, the same in every run.
func sales(n int) []sale {
	random := rand.New(rand.NewPCG(7, 7))
	cities, kinds := []string{"Rome", "Oslo", "Lima", "Delhi"}, []string{"apple", "melon", "plum"}
	var list []sale
	for i := range n {
		c, k := random.IntN(len(cities)), random.IntN(len(kinds))
		weight := math.Exp(random.NormFloat64()*0.4+float64(k)*0.3) * 2
		list = append(list, sale{
			City: cities[c], Kind: kinds[k], Weight: weight,
			Price: math.Round(100*(3+1.5*weight+float64(c)+random.NormFloat64()*1.2)) / 100,
			Units: 1 + random.IntN(20),
			Date:  time.Date(2026, 1, 1+i*360/n, 0, 0, 0, 0, time.UTC),
		})
	}
	return list
}

// save writes a chart, or prints why it cannot.
func save(c *chart.Chart, name string) {
	if err := c.Save(name); err != nil {
		fmt.Println(err)
	}
}

func ExampleOf() {
	c := chart.Of(sales(150)).Point("weight", "price").Color("Kind").Facet("City").Title("Price by weight")
	fmt.Println(c)
	save(c, "facets.png")
	// Output: Price by weight (chart of point, x weight, y price), 640×430
}

func ExampleChart_Point() {
	save(chart.Of(sales(120)).Point("weight", "price").Color("Kind").Size("units"), "points.png")
}

func ExampleChart_Line() {
	save(chart.Of(sales(500)).Line("month(Date)", "mean(price)").Color("Kind").Title("Mean price by month"), "lines.png")
}

func ExampleChart_Bar() {
	grouped := chart.Of(sales(300)).Bar("City", "mean(price)").Color("Kind").Group().ErrorBar()
	horizontal := chart.Of(sales(300)).Bar("sum(units)", "City").Sorted().Label("sum(units)")
	stacked := chart.Of(sales(300)).Bar("City").Color("Kind")
	shares := chart.Of(sales(300)).Bar("month(Date)", "sum(units)").Color("Kind").Share()
	save(chart.Grid(2, grouped, horizontal, stacked, shares), "bars.png")
}

func ExampleChart_Histogram() {
	save(chart.Beside(
		chart.Of(sales(400)).Histogram("price").Color("Kind"),
		chart.Of(sales(400)).Density("price").Color("Kind"),
		chart.Of(sales(400)).ECDF("price").Color("Kind"),
	), "distributions.png")
}

func ExampleChart_Box() {
	save(chart.Grid(2,
		chart.Of(sales(400)).Box("City", "price").Color("Kind"),
		chart.Of(sales(400)).Violin("City", "price"),
		chart.Of(sales(200)).Strip("price", "City"),
		chart.Of(sales(200)).Tick("Kind", "price"),
	), "groups.png")
}

func ExampleChart_HeatMap() {
	save(chart.Grid(2,
		chart.Of(sales(400)).HeatMap("monthname(Date)", "City").Color("mean(price)").Label("count()"),
		chart.Of(sales(4000)).Bin2D("weight", "price"),
		chart.Of(sales(400)).Contour("weight", "price").Point().Opacity(0.3),
		chart.Of(sales(400)).Ridgeline("price", "City"),
	), "fields.png")
}

func ExampleChart_Smooth() {
	save(chart.Grid(2,
		chart.Of(sales(200)).Point("weight", "price").Smooth(),
		chart.Of(sales(200)).Point("weight", "price").Color("Kind").Regression(),
		chart.Of(sales(200)).Point("weight", "price").Color("units").LogX().Regression().Color(""),
		chart.Of(sales(500)).ErrorBand("month(Date)", "price").Line("month(Date)", "mean(price)").HLine(7).Dashed(),
	), "trends.png")
}

func ExampleChart_Pie() {
	save(chart.Grid(2,
		chart.Of(sales(100)).Pie("Kind").Sorted(),
		chart.Of(sales(60)).Area("month(Date)", "sum(units)").Color("Kind"),
		chart.Of(sales(8)).Point("weight", "price").Text().Label("City"),
		chart.Of(sales(60)).Step("month(Date)", "sum(units)"),
	), "others.png")
}
