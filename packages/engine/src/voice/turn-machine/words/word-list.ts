/** What a language brings along for taking turns. Entries are lower case, without punctuation, words parted by one blank. */
export interface WordList {
  /** Said while another speaks, to show that one listens. */
  readonly backchannels: ReadonlySet<string>
  /** Stop the agent at once. */
  readonly commands: ReadonlySet<string>
  /** Sounds and words of somebody who looks for words. */
  readonly fillers: ReadonlySet<string>
  /** Words with which hardly any sentence ends: conjunctions, articles, some prepositions. Not those that often do ("that", "come in"). */
  readonly trailing: ReadonlySet<string>
  readonly questionStarts: ReadonlySet<string>
  /** Begin a request or an order. */
  readonly requestStarts: ReadonlySet<string>
  /** Complete answers to a question of one word. */
  readonly shortAnswers: ReadonlySet<string>
  readonly numbers: ReadonlySet<string>
  readonly months: ReadonlySet<string>
  /** Name a day by themselves. */
  readonly days: ReadonlySet<string>
  readonly at: ReadonlySet<string>
  readonly dot: ReadonlySet<string>
  /** Tell by the agent's question what is asked for. */
  readonly answerCues: {
    readonly phone: readonly string[]
    readonly date: readonly string[]
    readonly email: readonly string[]
    readonly spelling: readonly string[]
    readonly number: readonly string[]
  }
  readonly phrases: SystemPhrases
}

/** What the machine says by itself. Each list is gone through in turn, so that nothing is said twice in a row. */
export interface SystemPhrases {
  /** While an answer takes long. */
  readonly fillers: readonly string[]
  /** While a tool works. */
  readonly waits: readonly string[]
  /** When no answer came and the agent has no sentence of its own for that. */
  readonly fallback: string
  /** While the caller tells something long. */
  readonly backchannels: readonly string[]
}

type PhraseListName = Exclude<keyof WordList, 'answerCues' | 'phrases'>

/** Entries are parted by `|`. */
export interface WordListSource extends Readonly<Record<PhraseListName, string>> {
  readonly answerCues: Readonly<Record<keyof WordList['answerCues'], string>>
  readonly phrases: Readonly<Record<'fillers' | 'waits' | 'fallback' | 'backchannels', string>>
}

/** Reads a list as it is written in the files of the languages. */
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
