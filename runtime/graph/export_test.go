package graph

// ChangedBy is changedBy for tests in the package graph_test.
var ChangedBy = changedBy
