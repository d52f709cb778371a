/** Tables of the programs and options that always need approval, and of the programs that only read. */
import type { CommandConcern } from '../../../core/session/rule-ids.ts';
import { wordSet } from '../program-check.ts';

/** Programs that need approval with any arguments, regardless of rules and permissions. */
const ALWAYS: Partial<Record<CommandConcern, string>> = {
  'runs-other': `sudo doas su runuser pkexec run0 gosu xargs parallel watch entr nohup setsid exec ssh sshpass mosh autossh rsh rexec
    chroot unshare nsenter bwrap firejail flock strace ltrace dtrace gdb lldb valgrind perf script expect unbuffer busybox toybox
    systemd-run at batch crontab tmux screen dtach open xdg-open start trap coproc direnv nix nix-shell nix-build guix hyperfine
    caffeinate cross-env cross-env-shell concurrently nodemon chronic ifne pee sponge proot fakeroot faketime chpst setuidgid runcon
    sg newgrp dbus-run-session xvfb-run catchsegv rlwrap torsocks proxychains tsocks ionotify inotifywait watchexec watchman fzf
    vim vi view ex ed red nvim emacs emacsclient nano pico joe micro helix hx code subl less more most man info pager editor
    cscope screenfetch run-parts start-stop-daemon daemonize logrotate run-mailcap see run-one setarch linux32 linux64 i386
    x86_64 cpulimit prlimit taskset chrt numactl choom ltrace uftrace rr mitmproxy capsh setpriv aa-exec sandbox-exec arch-chroot
    vagrant terraform tofu ansible ansible-playbook helm pulumi packer cmake ctest rundll32 regsvr32 mshta wscript cscript cmd
    wsl invoke-expression iex invoke-command icm start-process saps invoke-item ii start-job sajb foreach-object foreach
    where-object import-module ipmo add-type new-object enter-pssession invoke-wmimethod invoke-cimmethod coreutils
    nyc c8 dotenv dotenvx env-cmd npm-run-all run-s run-p run-z lint-staged husky docker-compose podman-compose tox nox pm2
    start-server-and-test`,
  'inline-code': `eval osascript jshell irb ghci scala groovy jrunscript psql mysql mariadb sqlite3 mongosh mongo redis-cli bc dc m4
    gawk-inplace expect tclsh wish octave r rscript julia ipython ts-node tsx zx runghc runhaskell jq-repl maxima gp
    pydoc vite-node babel-node esno jiti`,
  'shell-state': `alias unalias export declare typeset local readonly source . set shopt enable hash unset read mapfile readarray
    getopts let bind complete compgen compopt history fc pushd popd dirs ulimit umask disown suspend logout printenv
    set-alias sal new-alias nal set-variable sv set-executionpolicy`,
  deletes: `rm rmdir unlink shred srm wipe trash trash-put gio del erase rd remove-item ri clear-content clc clear-item truncate
    fallocate mkfs wipefs fdisk parted sfdisk`,
  writes: `cp mv ln install tee dd patch split csplit rsync mkfifo mknod zip 7z 7za 7zr rar unrar ar cpio pax gzip gunzip bzip2 bunzip2
    xz unxz zstd unzstd lz4 compress uncompress iconv-inplace openssl gpg gpg2 age ssh-keygen ssh-add keytool security pass sips convert
    magick mogrify ffmpeg shar uudecode xxd-write set-content sc add-content ac out-file tee-object export-csv export-clixml
    new-item ni copy-item cpi copy move-item mi move rename-item rni ren set-item si set-itemproperty sp rename prename mmv
    expand-archive compress-archive robocopy xcopy mklink attrib icacls takeown reg regedit sponge vipe ex`,
  sends: `curl wget wget2 aria2c axel http https httpie xh curlie lynx links elinks w3m scp sftp ftp lftp tftp ncftp nc ncat netcat
    telnet socat rclone s3cmd aws gcloud gsutil az doctl heroku flyctl vercel netlify firebase wrangler mail mailx mutt sendmail
    msmtp swaks dig nslookup host drill whois ping ping6 traceroute nmap ssh-copy-id git-remote-https croc magic-wormhole
    wormhole transfer ngrok cloudflared gh-api twine invoke-webrequest iwr invoke-restmethod irm send-mailmessage
    start-bitstransfer certutil bitsadmin websocat grpcurl openconnect wg tailscale bore finger irssi telegram-send getent`,
  system: `kill pkill killall skill xkill shutdown reboot halt poweroff init telinit systemctl service launchctl rc-service mount umount
    chmod chown chgrp chattr setfacl setfattr xattr chflags chsh passwd useradd usermod userdel groupadd visudo adduser deluser
    insmod modprobe rmmod sysctl ip ifconfig iptables nft ufw firewall-cmd route swapon swapoff losetup crontab timedatectl
    hostnamectl loginctl update-alternatives ldconfig defaults scutil spctl csrutil nvram diskutil apt apt-get aptitude dpkg yum dnf
    rpm pacman apk zypper snap flatpak brew port choco scoop winget emerge stop-process spps stop-service restart-service
    restart-computer stop-computer set-service renice stty reset logger wall write mesg`,
};

/** Options that need approval regardless of rules and permissions. */
const OPTIONS: Record<string, Partial<Record<CommandConcern, string>>> = {
  rg: { 'runs-other': '--pre --hostname-bin --search-zip -z' },
  ag: { 'runs-other': '--pager --search-zip -z' },
  ack: { 'runs-other': '--pager --output', 'inline-code': '--match-filter --ackrc --filter' },
  ugrep: { 'runs-other': '--filter --pager --config --view --query -Q', writes: '--save-config' },
  ug: { 'runs-other': '--filter --pager --config --view --query -Q', writes: '--save-config' },
  sort: { 'runs-other': '--compress-program --files0-from', writes: '-o --output -T --temporary-directory' },
  fd: { 'runs-other': '-x --exec -X --exec-batch -l --list-details' },
  fdfind: { 'runs-other': '-x --exec -X --exec-batch -l --list-details' },
  tree: { writes: '-o -R --output', 'runs-other': '--fromfile --fromtabfile --infofile' },
  shuf: { writes: '-o --output' },
  jq: { 'inline-code': '-f --from-file -L --library-path' },
  file: { writes: '-C --compile -S --no-sandbox', 'runs-other': '-m --magic-file -z -Z --uncompress' },
  diff: { 'runs-other': '-l --paginate' },
  sdiff: { 'runs-other': '--diff-program -o --output' },
  date: { system: '-s --set -f' },
  yq: { 'inline-code': '--from-file --library-path -L', writes: '-i --inplace --in-place -s --split-exp --split-exp-file' },
  bat: { 'runs-other': '--pager --paging --lessopen --config-file' },
  delta: { 'runs-other': '--pager --paging' },
  printf: { 'shell-state': '-v' },
  make: { 'runs-other': '-f --file --makefile --eval -C --directory -I --include-dir -E -e --environment-overrides' },
  ninja: { 'runs-other': '-C -f' },
  just: { 'runs-other': '-f --justfile -d --working-directory -c --command --shell --shell-arg --set --choose --chooser --edit -e' },
  pytest: {
    'runs-other': '-p -c -o --confcutdir --rootdir --override-ini --config-file --pdbcls',
    sends: '--pastebin',
    writes: '--basetemp --junitxml --debug --log-file',
  },
  eslint: {
    'runs-other': '-c --config --rulesdir --plugin --parser -f --format --resolve-plugins-relative-to --init',
    writes: '-o --output-file',
  },
  prettier: { 'runs-other': '--plugin --config --plugin-search-dir' },
  jest: {
    'runs-other': `-c --config --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --runner --testRunner --transform --reporters --resolver
      --rootDir --env --testEnvironment --snapshotResolver --testResultsProcessor --watchPlugins --prettierPath --testSequencer
      --snapshotSerializers --filter --projects --roots --modulePaths --moduleDirectories`,
  },
  vitest: {
    'runs-other': '-c --config -r --root --globalSetup --dir --reporter --environment --workspace --browser.provider --api --api.host',
  },
  mocha: { 'runs-other': '-r --require --config --package --opts --node-option -n -R --reporter --import --loader -u --ui' },
  mypy: { 'runs-other': '--config-file --python-executable --custom-typeshed-dir', installs: '--install-types' },
  tsc: { writes: '--outDir --outFile --declarationDir --tsBuildInfoFile --generateTrace --generateCpuProfile --init' },
  cargo: {
    'runs-other': '--config -Z --manifest-path -C --fix --open',
    writes: '--target-dir --artifact-dir --out-dir --lockfile-path --logfile',
  },
  go: {
    'runs-other':
      '-exec -toolexec -vettool -overlay -modfile -C -ldflags -gcflags -asmflags -gccgoflags -compiler -w -u -fuzz -pkgdir -extld',
    writes: '-o -cpuprofile -memprofile -blockprofile -mutexprofile -trace -coverprofile -outputdir -testlogfile -gocoverdir -fix',
  },
  npm: {
    'runs-other': `--script-shell --prefix -C --node-options --userconfig --globalconfig --shell -c --call --git --editor --viewer
      --init-module --registry --cafile --location -g --global --package --onload-script --scripts-prepend-node-path --ignore-path`,
  },
  pnpm: {
    'runs-other': '--script-shell --dir -C --prefix -c --shell-mode --node-options --config --registry --use-node-version -g --global',
  },
  yarn: { 'runs-other': '--cwd --script-shell --use-yarnrc --modules-folder --registry --global-folder' },
  bun: { 'runs-other': '-e --eval -p --print -r --preload --require --import --cwd -c --config --env-file --inspect --shell -b --bun' },
  swift: { 'runs-other': '-Xswiftc -Xcc -Xlinker -Xcxx --package-path --scratch-path --toolset --swift-sdk' },
  ghc: { 'inline-code': '-e' },
  dotnet: {
    'runs-other': `--project --roll-forward --additional-deps --additionalprobingpath --startup-hook -p /p --property -logger -l -dl
      -distributedlogger --test-adapter-path --settings`,
  },
  mvn: { 'runs-other': '-f --file -s --settings -gs -D --define -t -pl --builder' },
  gradle: {
    'runs-other':
      '-I --init-script -b --build-file -c --settings-file -p --project-dir -D -P --include-build -g --system-prop --project-prop --gradle-user-home',
  },
  gradlew: {
    'runs-other':
      '-I --init-script -b --build-file -c --settings-file -p --project-dir -D -P --include-build -g --system-prop --project-prop --gradle-user-home',
  },
  docker: { 'runs-other': '-H --host --context --config --tlscacert' },
  podman: { 'runs-other': '--url --connection --identity --remote --root --hooks-dir --conmon --runtime' },
  kubectl: {
    'runs-other': '--kubeconfig --server -s --context --cluster --user --token --as --as-group',
    sends: '--raw',
    writes: '--output-directory --profile --profile-output --cache-dir --log-dir --log-file',
  },
  gh: { 'runs-other': '-w --web', sends: '--hostname' },
  pip: { sends: '-i --index-url --extra-index-url --proxy', 'runs-other': '--python' },
  java: { 'runs-other': '-javaagent -agentlib -agentpath --source -XX -cp -classpath --class-path -jar' },
  rustc: { 'runs-other': '-C --codegen -Z --sysroot', writes: '-o --out-dir --emit' },
  gcc: { 'runs-other': '-wrapper -fplugin -B -specs -Xclang -Xlinker -Xassembler -Xpreprocessor -Wl -Wa -Wp', writes: '-o' },
};
for (const [name, same] of Object.entries({
  gmake: 'make',
  bsdmake: 'make',
  clang: 'gcc',
  'g++': 'gcc',
  cc: 'gcc',
  nerdctl: 'docker',
  py: 'pytest',
}))
  OPTIONS[name] ??= OPTIONS[same] as Partial<Record<CommandConcern, string>>;

/** Programs that change nothing and run no other program, except with the options in `OPTIONS`. */
const READS = `ls cat head tail wc pwd echo printf true false : exit break continue test [ [[ grep egrep fgrep rg ag sort cut tr nl tac rev fold fmt column
  unexpand join paste comm uniq od hexdump xxd strings stat file du df basename dirname realpath readlink which type whoami id uname
  hostname date cal uptime tree diff cmp md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum cksum b2sum sum md5 jq seq
  sleep nproc arch tty find fd fdfind sed awk git tar unzip getconf locale groups users who numfmt tsort factor expr look
  get-childitem get-content get-location get-item test-path select-string measure-object select-object sort-object format-table
  format-list write-output get-date get-process join-path split-path resolve-path compare-object group-object`;

const RULE_OF = new Map(
  Object.entries(ALWAYS).flatMap(([rule, names]) => [...wordSet(names)].map((name) => [name, rule as CommandConcern] as const)),
);
const READING = wordSet(READS);

/** Names of the dynamic loader, which runs the program given as its argument. */
const LOADER = /^ld(?:-\w+)*[-\w.]*\.so(?:\.\d+)*$/;

export const alwaysAsks = (name: string): CommandConcern | undefined => RULE_OF.get(name) ?? (LOADER.test(name) ? 'runs-other' : undefined);
export const dangerousOptions = (name: string): Partial<Record<CommandConcern, string>> | undefined =>
  Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
/** Programs whose long options start with a single dash, so one-letter options cannot be grouped. */
const EXACT = wordSet('go java gcc clang g++ cc dotnet tsc swift ghc');

export const hasExactOptions = (name: string): boolean => EXACT.has(name);
/** Programs that print names and metadata of files, as a directory listing does, but not their content. */
const NAMES = wordSet('ls find fd fdfind stat du tree test [ [[ basename dirname realpath readlink echo printf which type');
const GIT_NAMES = wordSet('status ls-files check-ignore');

/** Options that read patterns from a file. The listing then reveals the content of this file. */
const PATTERN_FILE = /^(?:-[^-]*X|--exclude-[fp]|--ignore-f|--gitf)/;

/** Returns true if a read-only command prints names of files but not their content. */
export const showsNames = ([program = '', ...words]: readonly (string | undefined)[]): boolean => {
  const name = programName(program ?? '');
  if (words.some((word) => PATTERN_FILE.test(word ?? ''))) return false;
  return NAMES.has(name) || (name === 'git' && GIT_NAMES.has(words[0] ?? ''));
};
export const isReading = (name: string): boolean => READING.has(name);

const ALIASES: Record<string, string> = {
  nodejs: 'node',
  gmake: 'make',
  pip3: 'pip',
  mawk: 'awk',
  gawk: 'awk',
  nawk: 'awk',
  bsdtar: 'tar',
  batcat: 'bat',
  'fd-find': 'fd',
  'py.test': 'pytest',
  rgrep: 'grep',
  pwsh: 'powershell',
  vimdiff: 'vim',
  rvim: 'vim',
  gvim: 'vim',
};

/** Returns the normalized program name that all tables use: `/usr/bin/Python3.11` becomes `python`. */
export function programName(program: string): string {
  const name = (program.split(/[\\/]/).at(-1) ?? '').toLowerCase().replace(/\.(?:exe|cmd|bat|com|ps1)$/, '');
  const plain = name.replace(/^(python|pypy|ruby|perl|node|lua|luajit|php|pip|pydoc|bash|vim|gcc|clang|g\+\+)[-\d.]+w?$/, '$1');
  const gnu = plain.replace(
    /^g(?=(?:sed|awk|tar|find|sort|xargs|rm|cp|mv|ln|dd|tee|env|timeout|split|csplit|install|truncate|date|chmod|chown)$)/,
    '',
  );
  return Object.hasOwn(ALIASES, gnu) ? (ALIASES[gnu] as string) : gnu;
}
