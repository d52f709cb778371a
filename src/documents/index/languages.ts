/** Recognizes the language of a text by its most frequent words, and supplies the stemmer of each language. */
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';

const STEMMERS = {
  ...{ da: danish, de: german, en: english, es: spanish, fi: finnish, fr: french },
  ...{ it: italian, nl: dutch, no: norwegian, pt: portuguese, ru: russian, sv: swedish },
};

export type Language = keyof typeof STEMMERS;

/** Frequent words that carry no meaning of their own. They decide the language of a text, and are left out of queries. */
const FREQUENT: Record<Language, string> = {
  da: 'og i at det er en til på som de med han af for ikke der var et har jeg den hvad hvordan kan skal fra eller bliver',
  de: 'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie was wo wann welche kann ich oder wenn',
  en: 'the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which you were their been has will would there what when who how where why do does did can could should i me my we our us its if than then these those about into your',
  es: 'de la que el en y a los del se las por un para con no una su al lo como más pero sus le ya o este sí porque esta entre cuando muy sin sobre qué cómo dónde puedo es son',
  fi: 'ja on ei se että hän oli joka mutta ovat kun niin myös tai kuin jos vain mitä miten missä voi ole tämä sen',
  fr: 'de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont la avec ou son lui nous comme mais comment quel quelle où quand puis je peut cette aux',
  it: 'di e il la che in a per un è non una con del si da le dei i nel come al più della sono lo gli alla ma anche dove quando cosa quale posso questo',
  nl: 'de het een en van ik te dat die in is niet zijn op aan met voor er maar om dan hij of wat hoe waar wanneer welke kan door naar bij ook als uit worden wordt',
  no: 'og i det på som er en til at av for med de ikke den har jeg om et men var meg seg fra hva hvordan kan skal eller blir vil',
  pt: 'de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser quando onde qual posso são está pelo pela',
  ru: 'и в не на я что он с как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня о из ему для это или при где когда какой можно если',
  sv: 'och i att det som en på är av för med den till inte har de ett om han men var jag från så kan när hur vad ska eller sig vid',
};

const LANGUAGES = Object.keys(STEMMERS) as Language[];
const WORDS = Object.fromEntries(LANGUAGES.map((language) => [language, new Set(FREQUENT[language].split(' '))])) as unknown as Record<
  Language,
  ReadonlySet<string>
>;
/** The languages of each frequent word, so that each word of a text is looked up once. */
const LANGUAGES_OF = new Map<string, Language[]>();
for (const language of LANGUAGES) for (const word of WORDS[language]) LANGUAGES_OF.set(word, [...(LANGUAGES_OF.get(word) ?? []), language]);

/** The number of characters that decide the language. */
const SAMPLE = 6_000;

/** Returns the language of a text. A text without frequent words, such as a table, counts as English. */
export function languageOf(text: string): Language {
  const counts = new Map<Language, number>();
  for (const [word] of text
    .slice(0, SAMPLE)
    .toLowerCase()
    .matchAll(/\p{L}+/gu))
    for (const language of LANGUAGES_OF.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  let best: Language = 'en';
  for (const [language, count] of counts) if (count > (counts.get(best) ?? 0)) best = language;
  return best;
}

export function isLanguage(name: string): name is Language {
  return Object.hasOwn(STEMMERS, name);
}

export function isFrequent(word: string, languages: Iterable<Language>): boolean {
  for (const language of languages) if (WORDS[language].has(word)) return true;
  return false;
}

const MAX_CACHED = 20_000;
const caches = new Map<Language, Map<string, string>>();

/** Returns the stem of a word in lower case, without accents. Stems are cached, because a document repeats its words. */
export function stemOf(word: string, language: Language): string {
  const cache = cacheOf(language);
  const cached = cache.get(word);
  if (cached !== undefined) return cached;
  const stem = withoutAccents(STEMMERS[language](word)) || word;
  cache.set(word, stem);
  return stem;
}

function cacheOf(language: Language): Map<string, string> {
  const cache = caches.get(language);
  if (cache && cache.size < MAX_CACHED) return cache;
  const empty = new Map<string, string>();
  caches.set(language, empty);
  return empty;
}

export function withoutAccents(word: string): string {
  return /^[\x20-\x7e]*$/.test(word)
    ? word
    : word
        .normalize('NFKD')
        .replace(/\p{M}+/gu, '')
        .replaceAll('ß', 'ss');
}
