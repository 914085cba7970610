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
  readonly answerCues: {
    readonly phone: readonly string[]
    readonly date: readonly string[]
    readonly email: readonly string[]
    readonly spelling: readonly string[]
    readonly number: readonly string[]
  }
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
export function readWordList(source: WordListSource): WordList {
  const { answerCues, phrases } = source
  const set = (name: PhraseListName): ReadonlySet<string> => new Set(entries(source[name]))
  return {
    backchannels: set('backchannels'),
    commands: set('commands'),
    fillers: set('fillers'),
    trailing: set('trailing'),
    questionStarts: set('questionStarts'),
    requestStarts: set('requestStarts'),
    shortAnswers: set('shortAnswers'),
    numbers: set('numbers'),
    months: set('months'),
    days: set('days'),
    at: set('at'),
    dot: set('dot'),
    answerCues: {
      phone: entries(answerCues.phone),
      date: entries(answerCues.date),
      email: entries(answerCues.email),
      spelling: entries(answerCues.spelling),
      number: entries(answerCues.number),
    },
    phrases: {
      fillers: entries(phrases.fillers),
      waits: entries(phrases.waits),
      fallback: phrases.fallback,
      backchannels: entries(phrases.backchannels),
    },
  }
}

function entries(text: string): string[] {
  return text.split('|').filter((entry) => entry !== '')
}
