/** Turn-taking words of a language, in lower case, without punctuation, separated by single spaces. */
export interface WordList {
  /** Said to show attention while another speaks. */
  readonly backchannels: ReadonlySet<string>
  /** Stop the agent at once. */
  readonly commands: ReadonlySet<string>
  /** Hesitation sounds and words. */
  readonly fillers: ReadonlySet<string>
  /** Words that rarely end a sentence: conjunctions, articles, some prepositions. */
  readonly trailing: ReadonlySet<string>
  readonly questionStarts: ReadonlySet<string>
  /** Start a request or an order. */
  readonly requestStarts: ReadonlySet<string>
  /** Complete one-word answers. */
  readonly shortAnswers: ReadonlySet<string>
  readonly numbers: ReadonlySet<string>
  readonly months: ReadonlySet<string>
  /** Name a day. */
  readonly days: ReadonlySet<string>
  readonly at: ReadonlySet<string>
  readonly dot: ReadonlySet<string>
  /** Phrases in the agent's question that reveal the expected answer. */
  readonly answerCues: Readonly<Record<'phone' | 'date' | 'email' | 'spelling' | 'number', readonly string[]>>
  readonly phrases: SystemPhrases
}

/** Phrases of the machine. Lists rotate, so that nothing repeats in a row. */
export interface SystemPhrases {
  /** While an answer takes long. */
  readonly fillers: readonly string[]
  /** While a tool runs. */
  readonly waits: readonly string[]
  /** Spoken without an answer if the agent has no fallback sentence. */
  readonly fallback: string
  /** While the caller speaks at length. */
  readonly backchannels: readonly string[]
}

type PhraseListName = Exclude<keyof WordList, 'answerCues' | 'phrases'>

/** Entries are separated by `|`. */
interface WordListSource extends Readonly<Record<PhraseListName, string>> {
  readonly answerCues: Readonly<Record<keyof WordList['answerCues'], string>>
  readonly phrases: Readonly<Record<'fillers' | 'waits' | 'fallback' | 'backchannels', string>>
}

/** Parses the lists of a language. */
export function readWordList({ answerCues, phrases, ...lists }: WordListSource): WordList {
  return {
    ...mapValues(lists, (text) => new Set(entries(text))),
    answerCues: mapValues(answerCues, entries),
    phrases: { ...mapValues(phrases, entries), fallback: phrases.fallback },
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

function entries(text: string): string[] {
  return text.split('|').filter((entry) => entry !== '')
}
