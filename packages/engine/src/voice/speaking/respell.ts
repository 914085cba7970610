import { parseWordTable } from './languages/spoken-language.ts'

/** A word's pronunciation from an agent's dictionary. */
export interface Pronunciation {
  readonly word: string
  readonly alphabet: string
  readonly phoneme: string
}

/** English spellings of CMU phonemes. */
const PHONEME_SPELLINGS = parseWordTable(`
  AA=ah | AE=a | AH=uh | AO=aw | AW=ow | AX=uh | AY=eye | B=b | CH=ch | D=d | DH=th | EH=eh | ER=er | EY=ay | F=f |
  G=g | HH=h | IH=ih | IY=ee | JH=j | K=k | L=l | M=m | N=n | NG=ng | OW=oh | OY=oy | P=p | R=r | S=s | SH=sh |
  T=t | TH=th | UH=oo | UW=oo | V=v | W=w | Y=y | Z=z | ZH=zh`)

/** CMU phonemes of IPA symbols, longest symbols first. */
const IPA_SYMBOLS = Object.entries({
  ...parseWordTable(`
  tʃ=CH | dʒ=JH | aɪ=AY | aʊ=AW | eɪ=EY | oʊ=OW | əʊ=OW | ɔɪ=OY | ɪə=IH R | eə=EH R | ʊə=UH R | ɑ=AA | ɒ=AA | a=AA |
  æ=AE | ʌ=AH | ə=AH | ɔ=AO | ɛ=EH | e=EH | ɜ=ER | ɝ=ER | ɚ=ER | ɪ=IH | i=IY | y=IY | o=OW | ʊ=UH | u=UW | θ=TH |
  ð=DH | ʃ=SH | ʒ=ZH | ŋ=NG | ɡ=G | g=G | j=Y | ɹ=R | r=R | ʁ=R | ɾ=D | x=K | ç=SH | h=HH`),
  ...Object.fromEntries([...'bdfklmnpstvwz'].map((letter) => [letter, letter.toUpperCase()])),
})

/** Matches marks for stress, length, ties and syllable breaks, which are not spelled. */
const SILENT_MARKS = /^(?:[ˈˌːˑ.‿'/[\]()\s-]|\u0361|\u035C)/u

/** Spells a word so that English voices pronounce it as specified, or returns `null` if English letters cannot express it. */
export function respell({ alphabet, phoneme }: Pronunciation): string | null {
  const phonemes =
    alphabet === 'cmu' ? phoneme.toUpperCase().split(/[\s-]+/) : alphabet === 'ipa' ? parseIpa(phoneme) : null
  if (phonemes === null) return null
  const letters = phonemes.map((phoneme) => PHONEME_SPELLINGS[phoneme.replace(/\d$/, '')])
  return letters.length === 0 || letters.includes(undefined) ? null : letters.join('')
}

function parseIpa(symbols: string): readonly string[] | null {
  const phonemes: string[] = []
  for (let remainingSymbols = symbols.normalize('NFC').toLowerCase(); remainingSymbols !== ''; ) {
    const match = IPA_SYMBOLS.find(([symbol]) => remainingSymbols.startsWith(symbol))
    if (match !== undefined) phonemes.push(...match[1].split(' '))
    else if (!SILENT_MARKS.test(remainingSymbols)) return null
    remainingSymbols = remainingSymbols.slice(match?.[0].length ?? 1)
  }
  return phonemes
}
