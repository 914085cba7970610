/** A language's turn-taking words, in lowercase, without punctuation, separated by single spaces. */
export interface WordList {
  /** Words that show attention while another person speaks. */
  readonly backchannels: ReadonlySet<string>
  /** Words that stop the agent immediately. */
  readonly commands: ReadonlySet<string>
  /** Hesitation sounds and words. */
  readonly fillers: ReadonlySet<string>
  /** Words that rarely end a sentence: conjunctions, articles, some prepositions. */
  readonly trailingWords: ReadonlySet<string>
  readonly questionStarts: ReadonlySet<string>
  /** Words that start a request or an order. */
  readonly requestStarts: ReadonlySet<string>
  /** Complete one-word answers. */
  readonly shortAnswers: ReadonlySet<string>
  readonly numbers: ReadonlySet<string>
  readonly months: ReadonlySet<string>
  /** Names of days. */
  readonly days: ReadonlySet<string>
  readonly atWords: ReadonlySet<string>
  readonly dotWords: ReadonlySet<string>
  /** Phrases in the agent's question that reveal the expected answer. */
  readonly answerCues: Readonly<Record<'phone' | 'date' | 'email' | 'spelling' | 'number', readonly string[]>>
  readonly phrases: SystemPhrases
}

/** Phrases that the machine speaks. Lists rotate, so that no phrase repeats in a row. */
export interface SystemPhrases {
  /** Spoken while an answer takes long. */
  readonly fillers: readonly string[]
  /** Spoken while a tool runs. */
  readonly toolFillers: readonly string[]
  /** Spoken in place of an answer if the agent has no fallback sentence. */
  readonly fallback: string
  /** Spoken while the caller speaks at length. */
  readonly backchannels: readonly string[]
  /** Spoken after speech that was not recognized. */
  readonly notUnderstood: string
}

type PhraseListName = Exclude<keyof WordList, 'answerCues' | 'phrases'>

/** The lists of a language. Entries are separated by `|`. */
interface WordListSource extends Readonly<Record<PhraseListName, string>> {
  readonly answerCues: Readonly<Record<keyof WordList['answerCues'], string>>
  readonly phrases: Readonly<Record<keyof SystemPhrases, string>>
}

/** Parses a language's lists. */
export function parseWordList({ answerCues, phrases, ...lists }: WordListSource): WordList {
  return {
    ...mapValues(lists, (text) => new Set(splitEntries(text))),
    answerCues: mapValues(answerCues, splitEntries),
    phrases: {
      ...mapValues(phrases, splitEntries),
      fallback: phrases.fallback,
      notUnderstood: phrases.notUnderstood,
    },
  }
}

function mapValues<Name extends string, Value>(
  texts: Readonly<Record<Name, string>>,
  map: (text: string) => Value,
): Record<Name, Value> {
  return Object.fromEntries(Object.entries<string>(texts).map(([name, text]) => [name, map(text)])) as Record<
    Name,
    Value
  >
}

function splitEntries(text: string): string[] {
  return text.split('|').filter((entry) => entry !== '')
}
