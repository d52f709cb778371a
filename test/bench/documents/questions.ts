/**
 * Questions about the documentation of the packages in node_modules: the words of a user, the package, and the beginning of the heading below
 * which the answer stands. A question without a package has no answer there.
 */
export type Question = { text: string; document?: string; heading?: string };

const ANSWERED = `
do stars match files that begin with a dot? | glob/README.md | Dots
how can I exclude files from the results of glob? | glob/README.md | Comments and Negation
use forward slashes in patterns on windows | glob/README.md | Windows
iterate over glob results one after another | glob/README.md | globIterate
how do I make an option mandatory? | commander/Readme.md | Required option
an option that takes several values | commander/Readme.md | Variadic option
flag that starts with --no | commander/Readme.md | Other option types
run a function before a subcommand is executed | commander/Readme.md | Life cycle hooks
show the help text after a wrong command line | commander/Readme.md | Display help after errors
subcommands in separate executable files | commander/Readme.md | Stand-alone executable
print the version of my program | commander/Readme.md | Version option
parse nested objects from a query string | qs/README.md | Parsing Objects
query string with repeated keys into a list | qs/README.md | Parsing Arrays
how are null values written into a query string? | qs/README.md | Handling of
encode spaces as plus in query strings | qs/README.md | Encoding formats
query string in iso-8859-1 | qs/README.md | Dealing with special character sets
what does the caret in a version range allow? | semver/README.md | Caret Ranges
difference between tilde and caret versions | semver/README.md | Tilde Ranges
does a range include prereleases? | semver/README.md | Prerelease Tags
turn a string like v2 into a valid version | semver/README.md | Coercion
range with a hyphen between two versions | semver/README.md | Hyphen Ranges
apply a patch that touches several files | diff/README.md | Applying a multi-file patch
handle renames when applying a git diff | diff/README.md | Applying a multi-file Git patch
write my own diff algorithm for tokens | diff/README.md | Defining custom diffing behaviors
abort a fetch request after some time | node-fetch/README.md | Request cancellation with AbortSignal
upload a file with node-fetch | node-fetch/README.md | Post data using a file
throw an error when the response status is 404 in node-fetch | node-fetch/README.md | Handling client and server errors
read the set-cookie header | node-fetch/README.md | Extract Set-Cookie Header
which headers does node-fetch send by default? | node-fetch/README.md | Default Headers
redirect manual option of fetch | node-fetch/README.md | Manual Redirect
check that a name in a zip archive is safe | yauzl/README.md | validateFileName
read a zip archive from memory | yauzl/README.md | fromBuffer
convert ms-dos dates of zip entries | yauzl/README.md | dosDateTimeToDate
sanitize html in node with jsdom | dompurify/README.md | Running DOMPurify on the server
allow custom elements when sanitizing | dompurify/README.md | Control behavior relating to Custom Elements
DOMPurify and internet explorer | dompurify/README.md | What about legacy browsers
change nodes while DOMPurify runs with hooks | dompurify/README.md | Hooks
trusted types policy with DOMPurify | dompurify/README.md | What about DOMPurify and Trusted Types
get notified of ignored files in picomatch | picomatch/README.md | options.onIgnore
does picomatch support extglobs? | picomatch/README.md | Extglobs
match a literal bracket with picomatch | picomatch/README.md | Matching special characters as literals
why is minipass so fast? | minipass/README.md | Hazards of Buffering
collect a minipass stream into one blob | minipass/README.md | collecting into a single blob
turn on debug output in powershell | debug/README.md | PowerShell
add my own formatter to debug | debug/README.md | Custom formatters
write debug messages to stdout instead of stderr | debug/README.md | Output streams
enable debug for all names with an asterisk | debug/README.md | Wildcards
find out if a debug namespace is enabled | debug/README.md | Checking whether a debug target is enabled
largest json body that express accepts | body-parser/README.md | limit
how many parameters may an urlencoded body have? | body-parser/README.md | parameterLimit
how does ignore treat windows paths? | ignore/README.md | Win32 paths
is node-ignore case sensitive? | ignore/README.md | options.ignorecase
start a pool of dedicated workers | workerpool/README.md | Dedicated workers
retry with exponential backoff in cockatiel | cockatiel/readme.md | ExponentialBackoff
open the circuit after consecutive failures | cockatiel/readme.md | ConsecutiveBreaker
verify the signature of openai webhooks | openai/README.md | Webhook Verification
change how often the openai client retries | openai/README.md | Retries
log in with workload identity on kubernetes | openai/README.md | Kubernetes
count the tokens of a chat completion request | gpt-tokenizer/README.md | countChatCompletionTokens
when should I use built-in fetch instead of undici? | undici/README.md | Use Built-in Fetch When
`;

const UNANSWERED = `
how do I configure the thermostat of the aquarium?
recipe for sourdough bread
kubernetes ingress annotations for nginx
django migrations with postgres schemas
how tall is the lighthouse of Westerhever?
apple pay in a react native shop
cobol copybook with packed decimals
terraform backend in an s3 bucket with dynamodb locks
blender python script to bake textures
fortran coarray synchronization
tax rate for diesel in Denmark
ansible vault password rotation
spring boot actuator health groups
tuning the garbage collector of the JVM
excel pivot table with slicers
unity shader graph for water
latex bibliography with biber
oracle tablespace quota for a user
matlab simulink solver step size
pregnancy leave policy of the company
`;

const lines = (text: string) => text.trim().split('\n');

export const QUESTIONS: readonly Question[] = [
  ...lines(ANSWERED).map((line) => {
    const [text = '', document = '', heading = ''] = line.split(' | ');
    return { text, document, heading };
  }),
  ...lines(UNANSWERED).map((text) => ({ text })),
];
