/** Decides which environment variables a command does not get: keys of model services, and variables that the user withholds. */
import { CATALOG } from '../../../providers/catalog.ts';

/** Names of variables, in which `*` matches any characters. `pass` takes precedence over `withhold`. */
export type EnvironmentRules = { pass: readonly string[]; withhold: readonly string[] };

export const NO_ENVIRONMENT_RULES: EnvironmentRules = { pass: [], withhold: [] };

type Environment = Readonly<Record<string, string | undefined>>;

const words = (text: string) => text.trim().split(/\s+/);

/** Prefixes of the variables of model providers and gateways. */
const SERVICES =
  words(`OPENAI ANTHROPIC CLAUDE GEMINI GOOGLE_AI GOOGLE_GENAI GOOGLE_GENERATIVE_AI GOOGLE_API VERTEX VERTEX_AI MISTRAL CODESTRAL
  GROQ DEEPSEEK XAI GROK OPENROUTER AZURE_OPENAI AZURE_AI AZURE_API AZURE_INFERENCE HF HUGGINGFACE HUGGING_FACE HUGGINGFACEHUB COHERE CO
  TOGETHER TOGETHER_AI TOGETHERAI FIREWORKS FIREWORKS_AI PERPLEXITY PERPLEXITYAI PPLX REPLICATE CEREBRAS SAMBANOVA NVIDIA NIM DASHSCOPE QWEN
  MOONSHOT KIMI ZHIPU ZHIPUAI ZAI BIGMODEL MINIMAX STEPFUN QIANFAN ARK HUNYUAN AI21 WATSONX BEDROCK VOYAGE VOYAGEAI JINA STABILITY ELEVENLABS
  DEEPGRAM ASSEMBLYAI LITELLM OLLAMA LMSTUDIO LM_STUDIO VLLM LANGSMITH LANGCHAIN AI_GATEWAY LLM GENAI COPILOT CODEX CURSOR
  DEEPINFRA NOVITA NEBIUS SILICONFLOW FRIENDLI PORTKEY DATABRICKS`);
const KIND = '(?:\\w+_)?(?:API_?KEYS?(?:_\\w+)?|(?:KEY|TOKEN|SECRET|PAT)(?:_?\\d+)?)';
const OF_SERVICES = new RegExp(`^(?:${SERVICES.join('|')})_${KIND}$`);
/**
 * Matches keys with a prefix such as `MY_` or `VITE_`. Service names of up to three letters are ambiguous after a prefix, so they are not
 * matched.
 */
const OF_SERVICES_PREFIXED = new RegExp(`_(?:${SERVICES.filter(({ length }) => length > 3).join('|')})_${KIND}$`);
const OTHERS = /^(?:\w+_)?(?:(?:GITHUB|GH)_(?:\w+_)?(?:TOKEN|PAT)|AWS_BEARER_TOKEN_BEDROCK)$/;
const OF_CATALOG = new Set(CATALOG.flatMap(({ keyVariables = [] }) => keyVariables));
/** Variables that only Kedge reads, and variables that make a shell run a script when it starts. */
const NEVER = /^(?:KEDGE_.*|BASH_ENV|ENV)$/;

/** Returns the names of the variables that a command does not get. `told` contains the names that are reported to the model. */
export function withheldFrom(env: Environment, { pass, withhold }: EnvironmentRules): { names: string[]; told: string[] } {
  const names = Object.keys(env).sort();
  const told = names.filter((name) => !NEVER.test(name) && (matches(name, withhold) || isKey(name)) && !matches(name, pass));
  return { names: [...names.filter((name) => NEVER.test(name)), ...told], told };
}

export function isKey(name: string): boolean {
  const upper = name.toUpperCase();
  return OF_CATALOG.has(upper) || OF_SERVICES.test(upper) || OF_SERVICES_PREFIXED.test(upper) || OTHERS.test(upper);
}

function matches(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const parts = pattern.split('*').map((part) => part.replace(/[^\w]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`, 'i').test(name);
  });
}
