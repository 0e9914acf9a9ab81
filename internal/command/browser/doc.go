// Package browser is the program in builds for the browser: a kernel whose only client is the page
// that has started it. The page's side is in install/browser.
//
// The page calls the function gosphereDeliver with the name of a channel and the frames of a
// message, and is called with the same arguments by gosphereSend. Both are properties of the global
// object. gosphereInterrupt interrupts the running cells.
package browser
