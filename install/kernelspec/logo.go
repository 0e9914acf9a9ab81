package kernelspec

import (
	_ "embed"
)

//go:generate go run ./logo

var (
	//go:embed logo/logo-32x32.png
	logo32 []byte
	//go:embed logo/logo-64x64.png
	logo64 []byte
	//go:embed logo/logo-svg.svg
	logoSVG []byte
)

// A logo is a picture shown by launchers, which find it by its name.
type logo struct {
	name    string
	content []byte
}

func logos() []logo {
	return []logo{{"logo-32x32.png", logo32}, {"logo-64x64.png", logo64}, {"logo-svg.svg", logoSVG}}
}
