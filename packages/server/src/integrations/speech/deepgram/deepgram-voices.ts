/** A voice of Deepgram's models Aura-2 or Flux. */
export interface DeepgramVoice {
  /** The vendor's model name, such as `aura-2-thalia-en` or `flux-haley-en`. */
  readonly name: string
  /** The voice's own name, such as `thalia`. */
  readonly label: string
  readonly model: 'aura-2' | 'flux'
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

/** The documented voices of Flux, as of 2026-10. All of them speak English. */
const FLUX_VOICE_GROUPS: readonly VoiceGroup[] = [
  {
    language: 'en-US',
    accent: 'American',
    female: 'alexis, bree, brittany, brooke, elise, haley, hannah, heather, kelsey, meghan, paige, sienna',
    male: 'bruce, cliff, cole, donovan, drew, marcus, miles, wade, wes',
  },
  {
    language: 'en-GB',
    accent: 'British',
    female: 'gemma',
    male: 'colin, conor, jack, kit, rufus, sean, tanner',
  },
  { language: 'en-IN', accent: 'Indian', female: 'meena, priya', male: 'naveen' },
  { language: 'en-AU', accent: 'Australian', female: 'sharon', male: '' },
  { language: 'en-IE', accent: 'Irish', female: 'maeve', male: '' },
  { language: 'en-PH', accent: 'Filipino', female: '', male: 'marcelo' },
  { language: 'en-SG', accent: 'Singaporean', female: '', male: 'kai' },
]
/** Quality of all Flux voices. */
const FLUX_QUALITY = 'conversational and expressive'

/** The voices, because the streaming API does not list them. */
export const DEEPGRAM_VOICES: readonly DeepgramVoice[] = [
  ...VOICE_GROUPS.flatMap((group) => readVoices(group, 'aura-2')),
  ...FLUX_VOICE_GROUPS.flatMap((group) => readVoices(group, 'flux')),
]

function readVoices(group: VoiceGroup, model: DeepgramVoice['model']): DeepgramVoice[] {
  const { language, accent } = group
  const [baseLanguage = ''] = language.split('-')
  return (['female', 'male'] as const).flatMap((gender) =>
    group[gender].split(', ').flatMap((entry) => {
      const [label = '', ...ownQualities] = entry.split(' ')
      if (label === '') return []
      const quality = ownQualities.length === 0 ? FLUX_QUALITY : ownQualities.join(' ')
      const sentence = `${quality.charAt(0).toUpperCase()}${quality.slice(1)}.`
      const description = accent === null ? sentence : `${sentence} ${accent} accent.`
      return [{ name: `${model}-${label}-${baseLanguage}`, label, model, gender, language, accent, description }]
    }),
  )
}
