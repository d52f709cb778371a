// Prints a line for each outermost suite, with the seconds of its tests, and every failure in full. It writes counts and failures to the
// file that $KEDGE_RESULTS names.
const { writeFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

const { EVENT_RUN_END, EVENT_SUITE_BEGIN, EVENT_SUITE_END, EVENT_TEST_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } =
  Runner.constants;

module.exports = class Reporter extends reporters.Base {
  constructor(runner, options) {
    super(runner, options);
    let before = counts(this.stats);
    let milliseconds = 0;
    runner.on(EVENT_SUITE_BEGIN, (suite) => {
      if (!isOutermost(suite)) return;
      before = counts(this.stats);
      milliseconds = 0;
    });
    runner.on(EVENT_TEST_END, ({ duration = 0 }) => {
      milliseconds += duration;
    });
    runner.on(EVENT_SUITE_END, (suite) => {
      if (isOutermost(suite)) reporters.Base.consoleLog(line(suite.title, difference(counts(this.stats), before), milliseconds));
    });
    const failed = [];
    runner.on(EVENT_TEST_FAIL, (test, error) => failed.push({ title: test.fullTitle(), message: words(error) }));
    // The results are written after every test, so that the tests before a crash count.
    const save = () => write(this.stats, failed);
    for (const event of [EVENT_TEST_PASS, EVENT_TEST_FAIL, EVENT_TEST_PENDING]) runner.on(event, save);
    runner.once(EVENT_RUN_END, () => {
      write({ ...this.stats, ended: true }, failed);
      this.epilogue();
    });
  }
};

/** Returns true if a suite has no parent. If it ran in another process (mocha --parallel), only the titles of its parents are known. */
const isOutermost = (suite) => !suite.root && suite.fullTitle() === suite.title;
const counts = ({ passes, failures, pending }) => ({ passes, failures, pending });
const difference = (a, b) => ({ passes: a.passes - b.passes, failures: a.failures - b.failures, pending: a.pending - b.pending });

/** Returns the message of an error and of its cause. A failed property has its counterexample as message and the failure as cause. */
const words = (error) => [error.message ?? String(error), error.cause?.message].filter(Boolean).join('\n');

function line(title, { passes, failures, pending }, milliseconds) {
  const seconds = milliseconds >= 1000 && `${(milliseconds / 1000).toFixed(1)} s`;
  const rest = [failures > 0 && `${failures} failed`, pending > 0 && `${pending} skipped`, seconds].filter(Boolean);
  return `  ${failures ? '✖' : '✔'} ${title} (${[`${passes} passed`, ...rest].join(', ')})`;
}

function write(stats, failed) {
  const file = process.env.KEDGE_RESULTS;
  if (file) writeFileSync(file, JSON.stringify({ ...counts(stats), failed, ended: stats.ended === true }));
}
