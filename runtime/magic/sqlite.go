//go:build !js

package magic

import _ "modernc.org/sqlite" // the driver that every program includes
