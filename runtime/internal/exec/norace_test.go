//go:build !race

package exec_test

// raceDetector reports whether the tests are compiled with the race detector.
const raceDetector = false
