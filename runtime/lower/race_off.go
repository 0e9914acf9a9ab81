//go:build !race

package lower

// raceDetector tells whether this build watches for data races. Emitted code reads the stop
// flag and notes its line without synchronisation: both are single words, an old value is as
// good as a new one, and anything else would cost more than the statements themselves. Under
// the detector code polls by a call and notes no lines, so that only real races are reported.
const raceDetector = false
