//go:build !race

package realtype

const raceDetector = false
