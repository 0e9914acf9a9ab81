package display_test

import _ "gosphere/runtime/display/gonum" // the tests of package display show plots and matrices
