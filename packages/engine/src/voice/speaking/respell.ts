import { parseWordTable } from './languages/spoken-language.ts'

/** A word's pronunciation from an agent's dictionary. */
export interface Pronunciation {
  readonly word: string
  readonly alphabet: string
  readonly phoneme: string
}

/** English spellings of CMU phonemes. */
const LETTERS = parseWordTable(`
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

/** Matches stress, length, ties and syllable breaks, which have no letters. */
const SILENT = /^(?:[ˈˌːˑ.‿'/[\]()\s-]|\u0361|\u035C)/u

/** Spells a word so that English voices pronounce it as specified, or returns `null` if English letters cannot express it. */
export function respell({ alphabet, phoneme }: Pronunciation): string | null {
  const phonemes =
    alphabet === 'cmu' ? phoneme.toUpperCase().split(/[\s-]+/) : alphabet === 'ipa' ? parseIpa(phoneme) : null
  if (phonemes === null) return null
  const letters = phonemes.map((one) => LETTERS[one.replace(/\d$/, '')])
  return letters.length === 0 || letters.includes(undefined) ? null : letters.join('')
}

function parseIpa(symbols: string): readonly string[] | null {
  const phonemes: string[] = []
  for (let rest = symbols.normalize('NFC').toLowerCase(); rest !== ''; ) {
    const found = IPA_SYMBOLS.find(([symbol]) => rest.startsWith(symbol))
    if (found !== undefined) phonemes.push(...found[1].split(' '))
    else if (!SILENT.test(rest)) return null
    rest = rest.slice(found?.[0].length ?? 1)
  }
  return phonemes
}
