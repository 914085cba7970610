/** A voice of Deepgram's Aura-2 model. */
export interface DeepgramVoice {
  /** The vendor's model name, such as `aura-2-thalia-en`. */
  readonly name: string
  readonly gender: 'female' | 'male'
  /** Language tag, such as `en-US`. */
  readonly language: string
  /** English name of the accent, or null if there is only one. */
  readonly accent: string | null
  readonly description: string
}

/** Voices of one language and accent: names with qualities, separated by commas. */
interface VoiceGroup {
  readonly language: string
  readonly accent: string | null
  readonly female: string
  readonly male: string
}

/** The documented voices of Aura-2, as of 2026-05. The genders describe how most listeners perceive the voices. */
const VOICE_GROUPS: readonly VoiceGroup[] = [
  {
    language: 'en-US',
    accent: 'American',
    female:
      'thalia clear and energetic, andromeda casual and expressive, helena caring and natural, asteria clear and confident, ' +
      'athena calm and professional, aurora cheerful and expressive, callista clear and professional, cora smooth and melodic, ' +
      'cordelia warm and polite, delia casual and friendly, electra professional and engaging, harmonia empathetic and calm, ' +
      'hera smooth and warm, iris cheerful and approachable, janus smooth and trustworthy, juno natural and melodic, ' +
      'luna friendly and natural, minerva positive and friendly, ophelia expressive and enthusiastic, phoebe energetic and warm, ' +
      'selene expressive and energetic, vesta natural and patient',
    male:
      'apollo confident and casual, arcas natural and smooth, aries warm and energetic, atlas enthusiastic and friendly, ' +
      'hermes expressive and engaging, jupiter expressive and knowledgeable, mars smooth and patient, ' +
      'neptune professional and polite, odysseus calm and smooth, orion approachable and calm, ' +
      'orpheus professional and confident, pluto smooth and calm, saturn knowledgeable and confident, zeus deep and trustworthy',
  },
  { language: 'en-GB', accent: 'British', female: 'pandora smooth and calm', male: 'draco warm and approachable' },
  { language: 'en-AU', accent: 'Australian', female: 'theia expressive and sincere', male: 'hyperion caring and warm' },
  { language: 'en-PH', accent: 'Filipino', female: 'amalthea engaging and cheerful', male: '' },
  {
    language: 'es-MX',
    accent: 'Mexican',
    female: 'estrella approachable and calm, olivia breathy and calm',
    male:
      'sirio calm and professional, javier approachable and professional, luciano charismatic and cheerful, ' +
      'valerio deep and knowledgeable',
  },
  {
    language: 'es-ES',
    accent: 'Peninsular',
    female:
      'carina professional and energetic, diana professional and confident, agustina calm and clear, ' +
      'silvia charismatic and clear',
    male: 'nestor calm and professional, alvaro calm and knowledgeable',
  },
  {
    language: 'es-CO',
    accent: 'Colombian',
    female: 'celeste clear and energetic, gloria casual and clear',
    male: '',
  },
  {
    language: 'es-419',
    accent: 'Latin American',
    female: 'selena casual and friendly',
    male: 'aquila expressive and enthusiastic',
  },
  { language: 'es-AR', accent: 'Argentine', female: 'antonia approachable and enthusiastic', male: '' },
  {
    language: 'de-DE',
    accent: null,
    female:
      'elara calm and trustworthy, aurelia approachable and casual, lara caring and cheerful, kara caring and empathetic, ' +
      'viktoria charismatic and cheerful',
    male: 'julius casual and cheerful, fabian confident and knowledgeable',
  },
  {
    language: 'fr-FR',
    accent: null,
    female: 'agathe charismatic and cheerful',
    male: 'hector confident and empathetic',
  },
  {
    language: 'nl-NL',
    accent: null,
    female:
      'beatrix cheerful and warm, daphne calm and clear, cornelia approachable and friendly, hestia approachable and caring, ' +
      'rhea caring and warm, leda caring and empathetic',
    male: 'sander calm and deep, lars breathy and casual, roman calm and deep',
  },
  {
    language: 'it-IT',
    accent: null,
    female:
      'melia clear and friendly, maia caring and energetic, cinzia approachable and warm, livia approachable and cheerful, ' +
      'demetra calm and patient',
    male: 'elio calm and professional, flavio confident and deep, cesare clear and empathetic, dionisio confident and engaging',
  },
  {
    language: 'ja-JP',
    accent: null,
    female: 'uzume approachable and clear, izanami approachable and clear, ama casual and confident',
    male: 'ebisu calm and deep, fujin calm and confident',
  },
]

/** The voices of Aura-2, because the streaming API does not list them. */
export const DEEPGRAM_VOICES: readonly DeepgramVoice[] = VOICE_GROUPS.flatMap((group) => [
  ...readVoices(group, 'female'),
  ...readVoices(group, 'male'),
])

function readVoices(group: VoiceGroup, gender: DeepgramVoice['gender']): DeepgramVoice[] {
  const { language, accent } = group
  const [baseLanguage = ''] = language.split('-')
  return group[gender].split(', ').flatMap((entry) => {
    const [name = '', first = '', ...qualities] = entry.split(' ')
    if (name === '') return []
    const quality = [first.charAt(0).toUpperCase() + first.slice(1), ...qualities].join(' ')
    const description = `${quality}.${accent === null ? '' : ` ${accent} accent.`}`
    return [{ name: `aura-2-${name}-${baseLanguage}`, gender, language, accent, description }]
  })
}
