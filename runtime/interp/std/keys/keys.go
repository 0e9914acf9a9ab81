// Package keys has the packages of public-key cryptography for sources that package interp
// evaluates, for use together with std.Core. They are apart from it because of their size.
package keys

//go:generate go run gosphere/runtime/interp/extract -o library.go -name Library crypto/ecdh crypto/ecdsa crypto/ed25519 crypto/elliptic crypto/rsa
