'use strict';

/** Ends a test run with one plain line that machines can read: `N passed, N failed`. */
class CountReporter {
  onRunComplete(_contexts, results) {
    const suitesThatDidNotRun = results.numRuntimeErrorTestSuites;
    const failed = results.numFailedTests + suitesThatDidNotRun;
    const skipped = results.numPendingTests + results.numTodoTests;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    // The default reporter writes its summary to stderr; this line is the run's last on stdout.
    process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed${tail}\n`);
  }
}

module.exports = CountReporter;
