'use strict';

const { relative } = require('node:path');

/** Named of a whole run. */
const SLOWEST = 15;

/** Names the slowest files of a run, and ends it with one plain line that machines can read: `N passed, N failed`. */
class CountReporter {
  onRunComplete(_contexts, results) {
    const suitesThatDidNotRun = results.numRuntimeErrorTestSuites;
    const failed = results.numFailedTests + suitesThatDidNotRun;
    const skipped = results.numPendingTests + results.numTodoTests;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    // The default reporter writes its summary to stderr; this line is the run's last on stdout.
    this.#nameSlowest(results.testResults);
    process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed${tail}\n`);
  }

  #nameSlowest(files) {
    if (files.length <= SLOWEST) return;
    const timed = files
      .map(({ testFilePath, perfStats }) => ({
        name: relative(process.cwd(), testFilePath),
        ms: perfStats.end - perfStats.start,
      }))
      .sort((a, b) => b.ms - a.ms);
    const total = timed.reduce((sum, { ms }) => sum + ms, 0);
    process.stderr.write(`\n${files.length} files took ${Math.round(total / 1000)} s; the slowest:\n`);
    for (const { name, ms } of timed.slice(0, SLOWEST))
      process.stderr.write(`${String(Math.round(ms / 1000)).padStart(6)} s  ${name}\n`);
  }
}

module.exports = CountReporter;
