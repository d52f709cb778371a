/**
 * Harmless options of programs that users often allow. An unlisted option might write a file, run a program or load code, so a prefix
 * covers it only if the prefix names the whole command.
 */
import { wordSet } from '../program-check.ts';

const JEST = `--testNamePattern --runInBand --ci --bail --verbose --silent --coverage --no-coverage --watch --watchAll --no-watch --no-cache
  --maxWorkers --updateSnapshot --passWithNoTests --testPathPattern --testPathPatterns --runTestsByPath --findRelatedTests --onlyChanged
  --onlyFailures --detectOpenHandles --forceExit --logHeapUsage --listTests --json --colors --no-color --color --testTimeout --selectProjects
  --ignoreProjects --shard --randomize --seed --showSeed --expand --errorOnDeprecated --workerThreads --changedSince --collectCoverageFrom
  --testPathIgnorePatterns --testMatch --testRegex --lastCommit --cache --showConfig --debug --version --help`;
const VITEST = `--testNamePattern --run --watch --no-watch --update --coverage --coverage.enabled --silent --bail --retry --fileParallelism
  --no-file-parallelism --maxWorkers --minWorkers --testTimeout --hookTimeout --teardownTimeout --passWithNoTests --allowOnly --changed --shard
  --project --typecheck --no-typecheck --no-color --color --hideSkippedTests --globals --isolate --no-isolate --sequence.shuffle --sequence.seed
  --exclude --logHeapUsage --dom --standalone --printConsoleTrace --disable-console-intercept --no-coverage --version --help`;
const MOCHA = `--grep --fgrep --invert --bail --timeout --slow --retries --parallel --no-parallel --jobs --watch --recursive --exit --no-exit
  --check-leaks --full-trace --dry-run --forbid-only --forbid-pending --allow-uncaught --async-only --color --no-color --inline-diffs
  --sort --delay --fail-zero --extension --ignore --spec --version --help`;
const ESLINT = `--fix --fix-dry-run --fix-type --ext --max-warnings --quiet --no-error-on-unmatched-pattern --no-eslintrc --no-ignore
  --ignore-pattern --cache --no-cache --color --no-color --report-unused-disable-directives --no-inline-config --rule --print-config --env-info
  --debug --no-warn-ignored --pass-on-no-patterns --version --help`;
const PRETTIER = `--check --write --list-different --log-level --loglevel --no-config --no-editorconfig --ignore-unknown --cache --no-color
  --no-error-on-unmatched-pattern --single-quote --print-width --tab-width --use-tabs --no-semi --trailing-comma --end-of-line --prose-wrap
  --version --help`;
const TSC = `--noEmit --pretty --project --watch --skipLibCheck --strict --target --module --lib --jsx --esModuleInterop --listFiles
  --listFilesOnly --diagnostics --extendedDiagnostics --traceResolution --explainFiles --showConfig --noErrorTruncation --allowJs --checkJs
  --resolveJsonModule --moduleResolution --isolatedModules --noUnusedLocals --noUnusedParameters --noImplicitAny --strictNullChecks --types
  --version --help --build --force --verbose --dry --emitDeclarationOnly --declaration --sourceMap --preserveWatchOutput --incremental --noCheck`;
/** Options people pass through a package manager to a script, which the package manager might also interpret itself. */
const SCRIPT = `${JEST} ${VITEST} ${MOCHA} ${ESLINT} ${PRETTIER} ${TSC} --only --name --mode --env --port --host --base -t -g -i -b -u -q -v -x
  -s -k -h`;
/** Options of test runners and linters that load or write files. Any other option may be passed through to a script. */
const NOT_FOR_SCRIPTS =
  wordSet(`--globalSetup --globalTeardown --outputFile --output-file --coverageDirectory --cacheDirectory --cache-location
  --cache-file --reporter-option --reporter-options --preset --haste --coverageReporters --dependencyExtractor --moduleNameMapper
  --coverage.reportsDirectory --coverage.customProviderModule --typecheck.checker --execArgv --suppressions-location --testRunner
  --testSequencer --watchPlugins --rulesdir --junitxml --junit-xml --basetemp --pyargs --tx --html --report-log --compilers --diff --pool`);
const PACKAGES = `-s --silent -q --quiet --loglevel --verbose --no-audit --no-fund --audit --fund --if-present --ignore-scripts --prefer-offline
  --offline --prefer-online --progress --no-progress --color --no-color --json --depth --all -a --long -l --omit --include --production
  --legacy-peer-deps --dry-run --foreground-scripts --parseable --no-save --frozen-lockfile --no-frozen-lockfile --immutable --stream --parallel
  --no-bail --non-interactive --check-files`;
const CONTAINERS = `-a --all -q --quiet --format --filter -f -n --last --no-trunc -s --size --follow --tail --since --until -t --timestamps
  --details --type --services --status --no-stream --orphans --no-color --human`;
const GRADLE = `--info --stacktrace -s --full-stacktrace -S -q --quiet -i -w --warn --daemon --no-daemon --parallel --no-parallel --continue
  --offline --rerun-tasks --build-cache --no-build-cache --configuration-cache --no-configuration-cache --tests -x --exclude-task --max-workers
  --console --warning-mode -m --dry-run --refresh-dependencies -t --continuous --fail-fast --rerun --status --no-scan --version`;
const FLUTTER = `--coverage --name --plain-name -n -N --tags -t --exclude-tags -x --concurrency -j --timeout --no-pub --update-goldens
  --fatal-infos --fatal-warnings --no-fatal-infos --run-skipped --total-shards --shard-index --verbose -v --dry-run --set-exit-if-changed`;

const HARMLESS: Record<string, string> = {
  npm: PACKAGES,
  pnpm: `${PACKAGES} ${SCRIPT}`,
  yarn: `${PACKAGES} ${SCRIPT}`,
  bun: `${PACKAGES} ${SCRIPT} --rerun-each --todo --test-name-pattern --update-snapshots`,
  jest: `${JEST} -t -i -b -w -u -o -f -e -h`,
  vitest: `${VITEST} -t -w -u -h`,
  mocha: `${MOCHA} -g -f -i -b -t -s -p -j -w -A -c -C -S -V -h`,
  eslint: `${ESLINT} -v -h`,
  prettier: `${PRETTIER} -c -w -l -u -v`,
  tsc: `${TSC} -noEmit -p -w -t -m -v -h -b -d`,
  'vue-tsc': `${TSC} -p -w -b`,
  'svelte-check': '--threshold --fail-on-warnings --no-tsconfig --ignore --watch',
  biome: `--write --fix --unsafe --apply --apply-unsafe --colors --max-diagnostics --diagnostic-level --error-on-warnings --no-errors-on-unmatched
    --skip-errors --verbose --changed --staged --since --only --skip --log-level --files-ignore-unknown`,
  oxlint: '--fix --fix-suggestions --quiet --deny-warnings --max-warnings -A -W -D --allow --warn --deny --silent --threads',
  stylelint: '--fix --quiet -q --cache --color --no-color --max-warnings --allow-empty-input --ignore-pattern --ip',
  playwright: `--grep -g --grep-invert --headed --workers -j --retries --project --max-failures -x --timeout --repeat-each --shard --list
    --forbid-only --fully-parallel --last-failed --only-changed --pass-with-no-tests --quiet --update-snapshots -u --trace`,
  cargo: `-q --quiet -v --verbose -p --package --workspace --all --exclude --lib --bins --bin --examples --example --tests --test --benches --bench
    --all-targets --doc --features -F --all-features --no-default-features --release -r --profile -j --jobs --keep-going --no-run --no-fail-fast
    --message-format --color --locked --offline --frozen --timings --dry-run --check --ignored --include-ignored --nocapture --show-output
    --test-threads --skip --exact --list -D -W -A --deny --warn --allow --forbid --no-deps --depth -i --invert -e --edges -d --duplicates`,
  go: `-v -x -n -race -cover -covermode -coverpkg -count -run -bench -benchtime -benchmem -timeout -short -parallel -p -cpu -failfast -json
    -list -shuffle -skip -tags -trimpath -a -msan -asan -vet -fullpath -m`,
  pytest: `-q --quiet -v --verbose -x --exitfirst --maxfail -k -m -s --capture --tb -l --showlocals --lf --last-failed --ff --failed-first --nf
    --new-first --sw --stepwise --durations --durations-min -rA -ra -rs -rf -rx -rP -rfE -rN -n --numprocesses --cov --no-cov --cov-append --cov-branch
    --cov-fail-under --color --no-header --no-summary --co --collect-only --disable-warnings --strict-markers --strict-config --runxfail --ignore
    --ignore-glob --deselect --timeout --reruns --setup-show --fixtures --markers --version -h --help --cache-show --verbosity
    --doctest-modules --asyncio-mode --log-level --log-cli-level --randomly-seed --show-capture --full-trace --import-mode --benchmark-skip
    --benchmark-disable`,
  mypy: `--strict --ignore-missing-imports --no-error-summary --show-error-codes --pretty --no-color-output --no-incremental --python-version -p
    -m --package --module --explicit-package-bases --namespace-packages --follow-imports --check-untyped-defs --disallow-untyped-defs
    --warn-unused-ignores --warn-return-any --show-column-numbers --show-error-context --exclude --no-site-packages --verbose -v --version`,
  ruff: `--fix --no-fix --unsafe-fixes --show-fixes --diff --check --select --ignore --extend-select --output-format --statistics --no-cache
    --preview --exit-zero --exit-non-zero-on-fix --target-version --line-length --quiet -q --silent -s --verbose -v --exclude --force-exclude
    --isolated -n --show-files --show-settings --version`,
  black: '--check --diff --quiet -q --verbose -v --line-length -l --target-version -t --fast --color --exclude --version',
  isort: '--check-only --check -c --diff --quiet -q --verbose -v --profile --line-length -l --version',
  flake8:
    '--count --select --ignore --extend-ignore --max-line-length --max-complexity --statistics --show-source --exclude --exit-zero -q -v',
  pylint: '--disable --enable --errors-only -E --score --reports -r -s --fail-under --jobs -j --recursive --version',
  pyright: '--warnings --level --stats --verbose --skipunannotated --version',
  rspec: '--tag -t --example -e --fail-fast --color --no-color --profile -p --order --seed --backtrace -b --only-failures --dry-run',
  rubocop:
    '-a -A --autocorrect --autocorrect-all --only --except --parallel -P --display-cop-names -D --lint -l --fail-level --force-exclusion',
  'golangci-lint': '--fix --timeout --fast --new --new-from-rev --enable --disable --verbose -v --tests --tags --build-tags --color',
  phpunit:
    '--filter --testsuite --group --exclude-group --testdox --stop-on-failure --stop-on-error --verbose -v --colors --no-coverage --list-tests --debug',
  phpstan: '--level -l --no-progress --memory-limit --error-format --xdebug --no-interaction -n -q -v',
  docker: CONTAINERS,
  podman: CONTAINERS,
  nerdctl: CONTAINERS,
  kubectl: `-n --namespace -o --output -l --selector -A --all-namespaces -f --follow --tail --since --since-time -c --container --previous -p
    --field-selector --show-labels --sort-by -w --watch --no-headers --timestamps --prefix --all-containers --ignore-not-found --request-timeout
    --show-kind -L --label-columns --show-events --containers --limit-bytes --max-log-requests`,
  gh: `--json --jq -q --template -t --state -s --limit -L --author -A --assignee -a --label -l --search -S --head -H --base -B --repo -R --comments
    -c --log --log-failed --job -j --attempt --branch -b --workflow --name-only --color --exit-status --verbose -v --event -e --user -u --commit
    --status --draft -d --required --interval -i --watch --fail-fast --patch --all --order`,
  pip: '--format --outdated -o --uptodate --local -l --user --editable -e --not-required --verbose -v --files --exclude --all --no-color',
  poetry:
    '--tree -t --latest -l --outdated -o --top-level -T --all -a --no-dev --only --without --lock --strict --no-ansi --no-interaction -n -q -v',
  uv: '--depth --outdated --invert --frozen --locked --offline --no-dev --quiet -q --verbose -v',
  bundle: '--paths --outdated --strict --only-explicit --parseable --dry-run',
  composer: `--direct -D --outdated --tree -t --latest -l --format --no-dev --strict --no-check-all --no-check-publish --minor-only --ansi --no-ansi
    --no-interaction -n -q -v --timeout --filter --testdox --stop-on-failure`,
  deno: `--quiet -q --watch --filter --parallel --fail-fast --no-run --check --no-check --doc --shuffle --trace-leaks --fix --ignore --frozen
    --cached-only --json --compact --permit-no-files --no-prompt`,
  dotnet: `--no-build --no-restore --configuration -c --framework -f --verbosity -v --nologo --filter --list-tests -t --arch -a --os
    --no-incremental --no-dependencies --blame --verify-no-changes --severity --include --exclude --version`,
  swift:
    '--filter --skip --parallel --num-workers --enable-code-coverage -c --configuration --verbose -v --quiet -q --list-tests --skip-build -j --jobs',
  coverage:
    '-m --show-missing --skip-covered --skip-empty --include --omit --fail-under --precision --sort -i --ignore-errors --keep -a --append',
  flutter: FLUTTER,
  dart: FLUTTER,
  rails: '-v --verbose -n --name -s --seed -f --fail-fast -d --defer-output -b --backtrace -c --no-color -g --grep -E --expanded --unused',
  mix: `--trace --seed --only --exclude --include --failed --stale --max-failures --max-cases --slowest --warnings-as-errors --force
    --all-warnings --check-formatted --dry-run --color --no-color --timeout --raise --no-compile --no-deps-check --no-start`,
  turbo: `--filter -F --force --dry --dry-run --parallel --concurrency --continue --no-cache --output-logs --log-order --log-prefix --only
    --affected --summarize --verbosity -v --no-daemon`,
  nx: `-t --target --targets --projects -p --all --exclude --parallel --skip-nx-cache --skipNxCache --base --head --verbose --nxBail
    --output-style --outputStyle --uncommitted --untracked --files --fix --ci --codeCoverage --watch`,
  lerna:
    '--scope --ignore --since --stream --parallel --concurrency --no-bail --no-sort --include-dependencies --include-dependents --loglevel',
  ack: '-i -l -n -w -c -A -B -C -v -h -H -o -r -L --nocolor',
  bat: '-n -p --plain --style --line-range -r --color -A -l --language',
  ps: '-a -A -e -f -l -o -p -u -x -j -C -H -L -T -w --forest --sort',
  sdiff: '-s -w -i -b -B -t',
  shuf: '-n -e -i -r -z',
  ug: '-i -l -n -w -c -A -B -C -v -h -H -r -R',
  ugrep: '-i -l -n -w -c -A -B -C -v -h -H -r -R',
  yq: '-r -e -o --output-format -p --input-format -P --prettyPrint -j --tojson -C -M -N --no-doc -n --null-input',
  mkdir: '-p -v --parents --verbose',
  make: `-j -k -s -n -B -q -i -r -R -w -d -l -O --jobs --keep-going --silent --quiet --dry-run --always-make --no-print-directory
    --print-directory --output-sync --trace --debug --load-average --warn-undefined-variables --no-builtin-rules --just-print --version`,
  ninja: '-j -k -v -n -l --verbose --quiet --version',
  just: '-l --list -n --dry-run -q --quiet -v --verbose --summary --show -s --color --no-color --variables --version',
  task: `-l --list -a --list-all -s --silent -v --verbose -n --dry -f --force -p --parallel --summary --status --color -C --concurrency -x
    --exit-code -w --watch -I --interval --version`,
  rake: `-T --tasks -A --all -D --describe -P --prereqs -W --where -n --dry-run -q --quiet -s --silent -t --trace --backtrace -v --verbose -m
    --multitask -j --jobs -B --build-all --rules --version`,
  mvn: `-q -B -e -X -o -U -N -T -am -amd -fae -ff -fn -ntp -nsu -C -c -V -v --batch-mode --quiet --errors --debug --offline --update-snapshots
    --non-recursive --threads --also-make --fail-at-end --fail-fast --fail-never --no-transfer-progress --show-version`,
  gradle: GRADLE,
  gradlew: GRADLE,
};

export const isListed = (name: string): boolean => Object.hasOwn(HARMLESS, name);

const SETS = new Map<string, ReadonlySet<string>>();

function harmlessOf(name: string): ReadonlySet<string> {
  const options = SETS.get(name) ?? wordSet(isListed(name) ? (HARMLESS[name] as string) : '');
  SETS.set(name, options);
  return options;
}

/** Options that prevent writing. `--noEmit false` turns the option off, so it counts as unlisted even if `--noEmit` is allowed. */
const KEEPS_FROM_WRITING = /^--?(?:no-?emit|dry-?run|check|list-?files-?only|diff)$/i;

function isTurnedOff(args: readonly string[], at: number): boolean {
  const [name = '', value = args[at + 1]] = (args[at] as string).split('=');
  return KEEPS_FROM_WRITING.test(name) && /^(?:false|no|off|0)$/i.test(value ?? '');
}

/** Returns the options in `args` that a prefix must name. */
export function unlistedOptions(name: string, args: readonly string[]): string[] {
  const end = ownEnd(name, args);
  const own = args.slice(0, end).filter((word, at) => word.startsWith('-') && (!isHarmless(name, word) || isTurnedOff(args, at)));
  return [
    ...own,
    ...args.slice(end).filter((word, at, rest) => NOT_FOR_SCRIPTS.has(word.split('=')[0] as string) || isTurnedOff(rest, at)),
  ];
}

/** Returns the index at which the arguments for the started script begin. */
function ownEnd(name: string, args: readonly string[]): number {
  const end = isListed(name) && args.includes('--') ? args.indexOf('--') : args.length;
  const isRun = /^(?:go|deno|dart|bun)$/.test(name) && /^(?:run|task)$/.test(args[0] ?? '');
  const target = isRun ? args.findIndex((word, at) => at > 0 && !word.startsWith('-')) : -1;
  return target < 0 ? end : Math.min(end, target + 1);
}

/** Returns true if a word is a listed option with a single dash, such as `-ntp`, and not a group of one-letter options. */
export function isHarmlessWord(name: string, word: string): boolean {
  return /^-[^-]./.test(word) && harmlessOf(name).has(word);
}

/** Returns true if an option is listed. One-letter options may be grouped and followed by a number: `-xvs`, `-j4`. */
export function isHarmless(name: string, option: string): boolean {
  const harmless = harmlessOf(name);
  if (/^(?:--?|-\d+)$/.test(option) || harmless.has(option.split('=')[0] as string)) return true;
  return /^-[A-Za-z]+\d*$/.test(option) && [...option.replace(/[-\d]/g, '')].every((letter) => harmless.has(`-${letter}`));
}
