package p

import "math"

// Stars attract each other. Vectors are structs whose methods take and return values.

type vector struct{ x, y, z float64 }

func (a vector) plus(b vector) vector     { return vector{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vector) minus(b vector) vector    { return vector{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vector) times(k float64) vector   { return vector{k * a.x, k * a.y, k * a.z} }
func (a vector) product(b vector) float64 { return a.x*b.x + a.y*b.y + a.z*b.z }

type star struct {
	at, speed vector
	mass      float64
}

func (s *star) attract(o *star, dt float64) {
	way := o.at.minus(s.at)
	d := way.product(way) + 0.02
	s.speed = s.speed.plus(way.times(dt * o.mass / (d * math.Sqrt(d))))
}

func (s *star) drift(dt float64) { s.at = s.at.plus(s.speed.times(dt)) }

func Run(n int) int {
	stars := make([]*star, 10)
	for i := range stars {
		f := float64(i)
		stars[i] = &star{at: vector{f, float64(i * i % 11), -f / 2}, mass: 1 + float64(i%3)}
	}
	for range n {
		for _, s := range stars {
			for _, o := range stars {
				if s != o {
					s.attract(o, 0.005)
				}
			}
		}
		for _, s := range stars {
			s.drift(0.005)
		}
	}
	sum := vector{}
	for _, s := range stars {
		sum = sum.plus(s.at)
	}
	return int(sum.product(sum) * 1e6)
}
