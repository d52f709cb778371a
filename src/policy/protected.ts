/**
 * Paths whose content is executed automatically or configures an editor, an agent, a shell or Git. Writing to them always needs an
 * approval. Names are normalized; see path-normalization.ts.
 */
import { isShortName, normalizedParts } from './path-normalization.ts';

const words = (text: string) => text.trim().split(/\s+/);

/** Directory names, or nested directory names, that are protected anywhere in a path. */
const DIRECTORIES = [
  // Version control systems and their hooks.
  ...words('.git .hg .svn .bzr .jj .husky .githooks .git-hooks .lefthook'),
  // Editors and their tasks.
  ...words('.vscode .vscode-server .vs .idea .run .fleet .zed .nova .devcontainer .settings .nvim .vim .emacs.d'),
  // Coding agents.
  ...words(
    '.kedge .cursor .claude .codex .gemini .roo .cline .windsurf .continue .agents .agent .opencode .kiro .trae .junie .amazonq .qwen',
  ),
  ...words('.config/nvim .config/environment.d .direnv .theia .ipython/profile_default .jupyter .julia/config'),
  ...words('.augment .crush .goose .factory .aider .mcp .clinerules .kilocode .openhands .aiassistant .rovodev .copilot .amp .tabnine'),
  ...words('.zencoder .firebender .codebuddy .iflow'),
  // The settings and permissions of Kedge on each system, the agents of JetBrains IDEs, and cloud workspaces.
  'application support/kedge',
  ...words('.config/kedge share/kedge local/kedge .jetbrains .gitpod .codesandbox .idx .ebextensions .platform/hooks .vscode-insiders'),
  // Programs that are run by name, and configuration that new terminals load.
  ...words('.venv/bin .venv/scripts venv/bin venv/scripts node_modules/.bin node_modules/.hooks .local/bin'),
  ...words('.mise .mise-tasks mise/tasks .config/mise .doom.d .config/nushell'),
  // Continuous integration.
  ...words('.circleci .buildkite .gitlab .woodpecker .semaphore .teamcity .azure-pipelines .builds .forgejo .gitea .drone .dagger'),
  ...words('.github/actions .github/agents .github/chatmodes .github/hooks .github/instructions .github/prompts .github/skills'),
  ...words('.github/workflows'),
  // Directories from which package managers load code.
  ...words('.yarn/plugins .yarn/releases .mvn gradle/wrapper .cargo .bundle'),
  // Services the operating system starts, and remote access.
  ...words(
    'systemd/user systemd/system launchagents launchdaemons .config/autostart .config/fish .config/systemd .config/git .config/direnv',
  ),
  ...words('cron.d cron.daily cron.hourly cron.weekly cron.monthly init.d profile.d sudoers.d .ssh .gnupg'),
];

const FILES = new Set([
  ...words('.gitmodules .gitattributes .gitconfig .hgrc'),
  ...words('.pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml .overcommit.yml'),
  ...words(
    '.mcp.json mcp.json mcp.jsonc mcp_config.json mcp_settings.json cline_mcp_settings.json claude_desktop_config.json .claude.json',
  ),
  ...words('.cursorrules .clinerules .windsurfrules .roorules .roomodes .goosehints .augment-guidelines .rules .aider.conf.yml'),
  ...words('agents.md agents.override.md claude.md claude.local.md gemini.md qwen.md crush.md warp.md copilot-instructions.md'),
  ...words('opencode.json opencode.jsonc crush.json .crush.json agent.md iflow.md replit.md .kilocodemodes .continuerc.json'),
  ...words('.gitpod.yml .gitpod.yaml .replit replit.nix .stackblitzrc devfile.yaml .devfile.yaml'),
  ...words(
    '.ideavimrc _vimrc .gvimrc _gvimrc .spacemacs .xonshrc .pythonrc .pythonrc.py .gemrc .renviron .juliarc.jl .mailcap .lessfilter',
  ),
  ...words('rust-toolchain rust-toolchain.toml tools/bazel .buckconfig pip.ini nuget.config pyvenv.cfg mise/config.toml .my.cnf'),
  ...words(
    '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc',
  ),
  ...words('.cshrc .tcshrc .login .logout .inputrc .xinitrc .xprofile .xsession .xsessionrc config.fish .hushlogin'),
  ...words('profile.ps1 microsoft.powershell_profile.ps1 microsoft.vscode_profile.ps1 .envrc .direnvrc .autoenv .autoenv.zsh'),
  ...words('mise.toml .mise.toml mise.local.toml .rtx.toml .exrc .vimrc .nvimrc .nvim.lua .lvimrc .emacs .dir-locals.el .dir-locals-2.el'),
  ...words('.gdbinit .lldbinit .rgrc .ripgreprc crontab .crontab sitecustomize.py usercustomize.py authorized_keys sudoers'),
  ...words('.travis.yml .drone.yml .drone.jsonnet .woodpecker.yml .woodpecker.yaml .cirrus.yml .cirrus.star appveyor.yml .appveyor.yml'),
  ...words('bitbucket-pipelines.yml jenkinsfile buildspec.yml buildspec.yaml cloudbuild.yaml cloudbuild.yml codemagic.yaml bitrise.yml'),
  ...words('wercker.yml codefresh.yml renovate.json renovate.json5 .renovaterc .renovaterc.json .renovaterc.json5 .mergify.yml'),
  ...words('.github/dependabot.yml .github/dependabot.yaml'),
  ...words(
    '.devcontainer.json devcontainer.json init.vim codeowners desktop.ini autorun.inf bunfig.toml .bunfig.toml .pnpmfile.mjs .bazelrc',
  ),
  ...words('.irbrc .pryrc .pdbrc .rprofile .ghci .ocamlinit .perldb .psqlrc .sqliterc .wgetrc .curlrc .tmux.conf .screenrc .lesskey'),
  ...words('.pam_environment .xresources'),
  ...words('.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpmfile.js .pnp.cjs .pnp.loader.mjs .condarc pip.conf .pypirc'),
]);

const FAMILIES = [
  /^\.kedge/,
  /\.code-workspace$/,
  /\.run\.xml$/,
  /^\.?lefthook(-local)?\.(ya?ml|toml|json|jsonc)$/,
  /^\.(huskyrc|lintstagedrc|simple-git-hooks)(\..+)?$/,
  /^simple-git-hooks\.(js|cjs|mjs|json)$/,
  /^\.gitlab-ci(\..+)?\.ya?ml$/,
  /^azure-pipelines(\..+|-.+)?\.ya?ml$/,
  /^(jenkinsfile)\..+$/,
  /\.(service|timer|socket|path|desktop|sublime-project)$/,
  /^(?:(?:pre|post)-(?:applypatch|commit|merge|rebase|checkout|push|receive|rewrite|update|auto-gc)|pre-merge-commit)$/,
  /^(?:(?:prepare-)?commit-msg|applypatch-msg|fsmonitor-watchman|push-to-checkout|proc-receive|reference-transaction)$/,
  /\.pth$/,
  /^(?:lint-staged|commitlint)\.config\.\w+$/,
  /^\.?mise(?:\.[\w-]+)*\.toml$/,
  /^\.envrc\..+$/,
  // Files that the operating system's file browser opens to display icons and links.
  /\.(?:url|scf|lnk|library-ms|searchconnector-ms|settingcontent-ms)$/,
];

/**
 * @param path a workspace-relative path with forward slashes, after links and `..` were resolved
 * @param more directories in which this workspace has Git hooks
 */
export function isProtected(path: string, more: readonly string[] = []): boolean {
  const parts = normalizedParts(path);
  const whole = `/${parts.join('/')}/`;
  const name = parts.findLast((part) => part !== '') ?? '';
  const within = (directory: string) => whole.includes(`/${directory}/`);
  if (DIRECTORIES.some(within) || parts.some(isShortName)) return true;
  if (FILES.has(name) || FILES.has(parts.slice(-2).join('/')) || FAMILIES.some((family) => family.test(name))) return true;
  return more.some((directory) => whole.startsWith(`/${normalizedParts(directory).join('/')}/`));
}
