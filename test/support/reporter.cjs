// Prints a line a suite and every failure in full, and leaves the counts in the file that $KEDGE_RESULTS names.
const { writeFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

const { EVENT_RUN_END, EVENT_SUITE_BEGIN, EVENT_SUITE_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING, EVENT_TEST_RETRY } =
  Runner.constants;

module.exports = class Reporter extends reporters.Base {
  constructor(runner, options) {
    super(runner, options);
    let before = counts(this.stats);
    runner.on(EVENT_SUITE_BEGIN, (suite) => {
      if (isOutermost(suite)) before = counts(this.stats);
    });
    runner.on(EVENT_SUITE_END, (suite) => {
      if (isOutermost(suite)) reporters.Base.consoleLog(line(suite.title, difference(counts(this.stats), before)));
    });
    // What passes on another try only is no secret.
    runner.on(EVENT_TEST_RETRY, (test, error) => reporters.Base.consoleLog(`  ↻ tried again: ${test.fullTitle()}: ${error.message}`));
    // Written after every test, so that what a crash cut off still counts.
    const save = () => write(this.stats);
    for (const event of [EVENT_TEST_PASS, EVENT_TEST_FAIL, EVENT_TEST_PENDING]) runner.on(event, save);
    runner.once(EVENT_RUN_END, () => {
      write({ ...this.stats, ended: true });
      this.epilogue();
    });
  }
};

const isOutermost = (suite) => suite.parent?.root === true;
const counts = ({ passes, failures, pending }) => ({ passes, failures, pending });
const difference = (a, b) => ({ passes: a.passes - b.passes, failures: a.failures - b.failures, pending: a.pending - b.pending });

function line(title, { passes, failures, pending }) {
  const rest = [failures > 0 && `${failures} failed`, pending > 0 && `${pending} skipped`].filter(Boolean);
  return `  ${failures ? '✖' : '✔'} ${title} (${[`${passes} passed`, ...rest].join(', ')})`;
}

function write(stats) {
  const file = process.env.KEDGE_RESULTS;
  if (file) writeFileSync(file, JSON.stringify({ ...counts(stats), ended: stats.ended === true }));
}
