import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isKey, withheldFrom } from '../../../../src/hosts/node/commands/command-environment.ts';
import { CATALOG } from '../../../../src/providers/catalog.ts';

const KEYS =
  `OPENAI_API_KEY OPENAI_ADMIN_KEY OPENAI_KEY ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN CLAUDE_CODE_OAUTH_TOKEN GEMINI_API_KEY GOOGLE_API_KEY
  GOOGLE_GENERATIVE_AI_API_KEY MISTRAL_API_KEY CODESTRAL_API_KEY GROQ_API_KEY DEEPSEEK_API_KEY XAI_API_KEY OPENROUTER_API_KEY
  AZURE_OPENAI_API_KEY AZURE_API_KEY AZURE_OPENAI_KEY HF_TOKEN HUGGING_FACE_HUB_TOKEN HUGGINGFACEHUB_API_TOKEN COHERE_API_KEY CO_API_KEY
  TOGETHER_API_KEY TOGETHERAI_API_KEY FIREWORKS_API_KEY PERPLEXITY_API_KEY REPLICATE_API_TOKEN CEREBRAS_API_KEY NVIDIA_API_KEY
  DASHSCOPE_API_KEY MOONSHOT_API_KEY ZAI_API_KEY OLLAMA_API_KEY LITELLM_MASTER_KEY AWS_BEARER_TOKEN_BEDROCK AI_GATEWAY_API_KEY LLM_API_KEY
  GITHUB_TOKEN GH_TOKEN GITHUB_PAT GH_ENTERPRISE_TOKEN GITHUB_MODELS_TOKEN OPENAI_API_KEY_PROD OPENAI_API_KEY2 OPENAI_TOKEN_1 COPILOT_GITHUB_TOKEN openai_api_key
  OPENAI_API_KEYS MY_OPENAI_API_KEY VITE_OPENAI_API_KEY NEXT_PUBLIC_GEMINI_API_KEY INPUT_GITHUB_TOKEN TF_VAR_github_token DEEPINFRA_API_KEY`.split(
    /\s+/,
  );
const OTHERS =
  `PATH HOME CI LANG NODE_ENV DATABASE_URL OPENAI_BASE_URL OPENAI_MODEL ANTHROPIC_MODEL GOOGLE_APPLICATION_CREDENTIALS GITHUB_ACTIONS
  GITHUB_SHA GH_PAGER GITHUB_REPOSITORY HF_HOME HF_HUB_OFFLINE NPM_TOKEN STRIPE_API_KEY AWS_ACCESS_KEY_ID KEYBOARD CODECOV_TOKEN TOKENIZERS_PARALLELISM OPENAI_TOKEN_LIMIT HF_TOKEN_PATH
  SSH_AUTH_SOCK GPG_TTY OLLAMA_HOST COLORTERM CONDA_PREFIX COMPOSER_HOME XDG_RUNTIME_DIR`.split(/\s+/);

describe('the environment of a command', () => {
  it('has no key of a model service', () => {
    for (const name of KEYS) assert.ok(isKey(name), name);
    for (const name of CATALOG.flatMap(({ keyVariables = [] }) => keyVariables)) assert.ok(isKey(name), name);
  });

  it('has everything else', () => {
    for (const name of OTHERS) assert.ok(!isKey(name), name);
  });

  it("follows the user's rules: passing on takes precedence, and Kedge's own variables are never included", () => {
    const env = Object.fromEntries([...KEYS, ...OTHERS, 'KEDGE_API_KEY', 'KEDGE_HOME', 'BASH_ENV'].map((name) => [name, 'x']));
    const { names, told } = withheldFrom(env, {
      pass: ['GITHUB_TOKEN', 'KEDGE_*', 'AWS_*_ID'],
      withhold: ['AWS_*', 'database_url', 'NPM.TOKEN'],
    });
    assert.ok(!names.includes('GITHUB_TOKEN') && !names.includes('AWS_ACCESS_KEY_ID') && !names.includes('NPM_TOKEN'));
    assert.ok(['DATABASE_URL', 'OPENAI_API_KEY', 'GH_TOKEN'].every((name) => told.includes(name)));
    assert.deepEqual(
      names.filter((name) => !told.includes(name)),
      ['BASH_ENV', 'KEDGE_API_KEY', 'KEDGE_HOME'],
    );
  });

  it('matches names in any case', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), fc.array(fc.string()), fc.array(fc.string()), (env, pass, withhold) => {
        const { names, told } = withheldFrom(env, { pass, withhold });
        assert.ok(told.every((name) => names.includes(name)) && names.every((name) => name in env));
      }),
    );
  });
});
