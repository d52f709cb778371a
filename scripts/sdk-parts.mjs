/**
 * Leaves the parts of SDKs that Kedge never uses out of the bundles, because esbuild cannot tell that they are unused. Each change fails the
 * build if the text that it expects is missing, so that a new version of an SDK is looked at again.
 */
import { readFile } from 'node:fs/promises';

/** Returns the text with all occurrences replaced. @throws Error if there is none */
function replaced(text, pattern, replacement) {
  const result = text.replaceAll(pattern, replacement);
  if (result === text) throw new Error(`The SDK does not contain ${pattern} any more. Look at scripts/sdk-parts.mjs.`);
  return result;
}

/** The adapter uses only `models`, with an API key. Vertex AI and the other services make up three quarters of the SDK. */
function geminiModels(code) {
  const otherServices = /^ {8}this\.(?!models\b)\w+ = new \w+(?:\$1)?\(this\.(?:apiClient|models)\b.*\);\n/gm;
  const nextClient = /^ {4}getNextGenClient\(\) \{\n(?:.*\n)*?(?=^ {4}constructor\(options = \{\}\) \{\n)/gm;
  const start = code.indexOf('\nclass GoogleGenAI {\n');
  const client = replaced(replaced(code.slice(start), otherServices, ''), nextClient, '');
  return replaced(code.slice(0, start), /\b(?:this\.apiClient|apiClient|client)\.isVertexAI\(\)/g, 'false') + client;
}

/**
 * Kedge reads the tokens of Markdown and never creates HTML. What follows the lexer, such as the renderer and the parser, makes up a fifth of
 * the library.
 */
function markdownLexer(code) {
  const [, lexer] = /\bexport\{.*\b(\w+) as Lexer\b/.exec(code) ?? [];
  return replaced(code, /;var \w+=class\{options;parser;[\s\S]*$/g, `;export{${lexer} as Lexer};`);
}

const PARTS = [
  [/google.genai.dist.web.index\.mjs$/, geminiModels],
  [/marked.lib.marked\.esm\.js$/, markdownLexer],
  // Every browser and Node have `fetch`.
  [/ollama.dist.browser\.mjs$/, (code) => replaced(code, "import 'whatwg-fetch';", '')],
  // No adapter uses the tools for servers.
  [/anthropic-ai.sdk.tools.agent-toolset.node\.mjs$/, () => 'export {};'],
  // The validator is always given. The SDK would load Ajv for the case that it is not.
  [
    /modelcontextprotocol.sdk.dist.esm.validation.ajv-provider\.js$/,
    () => "export { CfWorkerJsonSchemaValidator as AjvJsonSchemaValidator } from './cfworker-provider.js';",
  ],
  // Importing a complete namespace at run time would keep all of the library.
  [
    /modelcontextprotocol.sdk.dist.esm.client.auth-extensions\.js$/,
    (code) => `import * as jose from 'jose';\n${replaced(code, "const jose = await import('jose');", '')}`,
  ],
];

/** @type {import('esbuild').Plugin} */
export const sdkParts = {
  name: 'sdk-parts',
  setup(build) {
    for (const [filter, change] of PARTS)
      build.onLoad({ filter }, async ({ path }) => ({
        contents: change(await readFile(path, 'utf8')),
        resolveDir: path.replace(/[^/\\]+$/, ''),
      }));
  },
};
