import type { PiiCategory } from '@parley/contract/after-conversation'

/** Phrases that introduce a value, in a message or in the question before it, and the value's format. */
interface IntroducedValue {
  readonly category: PiiCategory
  /** Alternatives in English, German, French, Spanish, Italian and Dutch. */
  readonly phrases: readonly string[]
  /** Pattern for the text allowed between the words and the value. */
  readonly gapPattern: string
  readonly valuePattern: string
}

const MONTH_NAMES = [
  'jan(?:uary|uar|vier|uari)?|gennaio|enero|ene',
  'feb(?:ruary|ruar|rero|braio|ruari)?|f[ée]vr(?:ier)?',
  'mar(?:ch|s|zo)?|märz|maart',
  'apr(?:il|ile)?|avr(?:il)?|abril|abr',
  'may|mai|mayo|maggio|mei',
  'june?|juni|juin|junio|giugno',
  'july?|juli|juil(?:let)?|julio|luglio',
  'aug(?:ust|ustus)?|ao[ûu]t|agosto|ago',
  'sep(?:t|tember|tembre|tiembre)?|settembre|set',
  'o[ck]t(?:ober|obre)?|ottobre|ott',
  'nov(?:ember|embre|iembre)?',
  'de[cz](?:ember)?|d[ée]c(?:embre)?|dic(?:iembre|embre)?',
].join('|')
const DATE_PATTERN = [
  `(?:${MONTH_NAMES})\\.?\\s(?:the\\s)?\\d{1,2}(?:st|nd|rd|th)?(?:,?\\s\\d{2,4})?`,
  `\\d{1,2}(?:st|nd|rd|th|er|º|\\.)?\\s(?:of\\s|de\\s)?(?:${MONTH_NAMES})(?!\\p{L})\\.?(?:,?\\s(?:de[l]?\\s)?\\d{2,4})?`,
  '\\d{1,4}\\s?[-/.]\\s?\\d{1,2}\\s?[-/.]\\s?\\d{1,4}',
  '\\d{1,2}\\.?\\s\\d{1,2}\\.?\\s(?:19|20)?\\d{2}',
  '\\d{8}|\\d{6}',
].join('|')

/** Up to a few words without numbers and placeholders. */
const SHORT_GAP = '[^\\n\\d[]{0,25}?'
const CODE_GAP = '[^\\n[]{0,25}?(?<![\\p{L}\\d])'
/** Allows only joining words, for phrases with other common meanings. */
const JOINING_WORDS = '(?:\\s+(?:number|no\\.?))?(?:\\s+(?:is|was|ist|lautet|war|est|es|è|e|was))?\\s*(?:[:=#]\\s*)?#?'

/** Excludes values that continue as a date, time or word. */
const VALUE_END = '(?![\\p{L}\\d]|[-./:]\\d)'
/** Builds a pattern for codes with at least one digit. A code is spelled out, grouped or written without separators. */
const buildCodePattern = (min: number, max: number): string =>
  [
    `(?:\\p{L}[ -](?:(?:\\p{L}|\\d{1,12})[ -]){0,18}(?=\\d)\\d{1,12}(?:[ -]\\p{L}(?!\\p{L}))?${VALUE_END}`,
    `(?=\\p{L}{0,2}\\d)[\\p{L}\\d]{1,6}(?: \\d{3,6}${VALUE_END}){1,5}`,
    `(?=[\\p{L}-]{0,${max}}\\d)[\\p{L}\\d][\\p{L}\\d-]{${min - 1},${max - 1}})`,
  ].join('|')

/** Digits in groups, with a letter or two before or after them. */
const NATIONAL_ID_PATTERN =
  '(?:(?:\\p{L}{1,2}-?)?\\d(?:[ ./-]?\\d){5,17}(?:[ -]?\\p{L}(?![\\p{L}\\d])(?:[ -]?\\d{3})?)?|(?=[\\p{L}\\d]{0,8}\\d)[\\p{L}\\d]{9,18}|\\d{4})(?![\\p{L}\\d])'

export const INTRODUCED_VALUES: readonly IntroducedValue[] = [
  {
    category: 'password',
    phrases: [
      'passwords?|pass ?phrase|log ?in code',
      'passwor[td]|kennwort',
      'mot de passe',
      'contraseña|clave de acceso',
      "parola d(?:[’']|i )(?:ordine|accesso)",
      'wachtwoord',
    ],
    gapPattern: '(?:\\s+(?:is|was|to|ist|lautet|war|est|es|è|will be)(?![\\p{L}])(?:\\s*[:=])?|\\s*[:=])\\s*["\'“„«]?',
    valuePattern: '[^\\s"”“»,;]{1,100}',
  },
  {
    category: 'pin',
    phrases: [
      '(?:pin|pass ?codes?|cvv2?|cvc2?|(?:(?<!social )security|verification|access|one[- ]time|confirmation) (?:code|number|password)|otp)(?:[ -]?(?:code|number|nummer))?',
      'geheimzahl|geheimnummer|(?:sicherheits|bestätigungs|zugangs|prüf|einmal)-?(?:code|zahl|nummer|ziffer)|tan',
      'code (?:pin|secret|de sécurité|de vérification|confidentiel)|cryptogramme',
      'código (?:pin|secreto|de seguridad|de verificación|de acceso)',
      'codice (?:pin|segreto|di sicurezza|di verifica|di accesso)',
      'pincode|(?:beveiligings|verificatie|toegangs)code',
    ],
    gapPattern: SHORT_GAP,
    valuePattern: '(?:\\d(?:[ -]\\d){3,7}|\\d{2}(?:[ -]\\d{2}){1,3}|\\d{3}[ -]\\d{3}|\\d{3,8})(?!\\d)',
  },
  {
    category: 'ssn',
    phrases: [
      'ssn|itin|social (?:security|insurance)|(?:national|state) insurance|nino?(?= number)|sin(?= number)|tax(?:payer)? id(?:entification)?|national id(?:entity)?|pps number',
      'sozialversicherungs-?(?:nummer|nr\\.?)|rentenversicherungs-?(?:nummer|nr\\.?)|steuer-?id(?:entifikationsnummer|nr\\.?)?|steuernummer|identifikationsnummer|ahv-?(?:nummer|nr\\.?)|sv-?nummer',
      'sécurité sociale|numéro (?:de )?(?:sécu|insee|fiscal|national)|nir',
      'dni|nif|número de (?:la )?seguridad social|(?:número|documento) de identidad|número de nie',
      'codice fiscale|partita iva personale',
      'bsn|burgerservicenummer|sofinummer|rijksregisternummer',
      'pesel|personnummer|personnr|fødselsnummer|cpr(?:[- ]?nummer)?|henkilötunnus|cpf',
    ],
    gapPattern: CODE_GAP,
    valuePattern: NATIONAL_ID_PATTERN,
  },
  {
    category: 'passport',
    phrases: [
      'passport|(?:id|identity) card',
      '(?:reise)?pass-?(?:nummer|nr\\.?)|reisepass|(?:personal)?ausweis(?:-?(?:nummer|nr\\.?))?',
      "passeport|carte (?:nationale )?d[’']identité",
      'pasaporte',
      "passaporto|carta d[’']identità",
      'paspoort(?:nummer)?|identiteitskaart|id-?kaart',
    ],
    gapPattern: CODE_GAP,
    valuePattern: buildCodePattern(6, 9),
  },
  {
    category: 'driver_license',
    phrases: [
      "(?:driver[’']?s?|driving) licen[cs]e",
      'führerschein(?:-?(?:nummer|nr\\.?))?',
      'permis de conduire|numéro de permis',
      '(?:permiso|carn[eé]t?|licencia) de conducir',
      'patente(?: di guida)?',
      'rijbewijs(?:nummer)?',
    ],
    gapPattern: CODE_GAP,
    valuePattern: buildCodePattern(5, 20),
  },
  {
    category: 'medical_id',
    phrases: [
      'mrn|medical (?:record|id)|health (?:insurance|card|id|plan)|nhs|medicare|medicaid|patient (?:id|number)|insurance (?:number|id)',
      '(?:kranken)?versicherten-?(?:nummer|nr\\.?|karte)|krankenversicherungs-?(?:nummer|nr\\.?)|krankenkassen-?(?:nummer|nr\\.?)|patienten-?(?:nummer|nr\\.?|id)',
      "carte vitale|numéro (?:de )?patient|numéro d[’'](?:assuré|assurance)|dossier médical",
      'tarjeta sanitaria|número de (?:paciente|asegurado)|historia clínica',
      'tessera sanitaria|(?:numero|codice) (?:del )?paziente|cartella clinica',
      'pati[eë]ntnummer|zorgverzekering(?:snummer)?|verzekerdennummer|zorgpas',
    ],
    gapPattern: CODE_GAP,
    valuePattern: `(?:\\d{3}[ -]\\d{3}[ -]\\d{4}(?!\\d)|${buildCodePattern(4, 20)})`,
  },
  {
    category: 'bank_account',
    phrases: [
      'bank account|(?:checking|savings) account|iban|routing(?: number)?|sort code|aba(?= number)',
      'bankkonto|konto-?(?:nummer|nr\\.?)|bankleitzahl|blz',
      'compte (?:bancaire|courant)|numéro de compte|rib',
      'cuenta (?:bancaria|corriente)|número de cuenta',
      'conto corrente|numero di conto|coordinate bancarie',
      'rekeningnummer|bankrekening(?:nummer)?',
    ],
    gapPattern: SHORT_GAP,
    valuePattern: '\\d[\\d -]{3,24}\\d',
  },
  {
    category: 'customer_account_number',
    phrases: [
      '(?:account|customer|client|member(?:ship)?|policy|loyalty|contract|subscriber)[ -]?(?:number|num|no\\.?|id)',
      '(?:kunden|mitglieds|vertrags|policen|versicherungs(?:schein)?|teilnehmer)[ -]?(?:nummer|nr\\.?|id)|konto bei ihnen',
      "(?:numéro|n[o°º]) (?:de |d[’'])?(?:client|adhérent|abonné|contrat|sociétaire)|identifiant client|référence client",
      '(?:número|n[o°º]) de (?:cliente|socio|contrato|póliza|abonado)',
      '(?:numero|codice) (?:di )?(?:cliente|socio|contratto|polizza|tessera)',
      '(?:klant|lidmaatschaps|lid|polis|contract)-?(?:nummer|nr\\.?)',
    ],
    gapPattern: JOINING_WORDS,
    valuePattern: buildCodePattern(4, 30),
  },
  {
    category: 'phone_number',
    phrases: [
      '(?:(?:tele|mobile |cell ?)?phone|mobile|cell|tel|whatsapp|fax|(?:call|reach|text|ring) me (?:back )?(?:at|on))(?: number)?',
      '(?:telefon|handy|mobil|ruf|rückruf|fax)-?(?:nummer|nr\\.?)|telefon|handy|mobil|erreichbar unter|erreichen sie mich unter',
      'téléphone|portable|mon (?:fixe|numéro)|joindre au',
      'teléfono|móvil|celular|mi número',
      'telefono|cellulare|il mio numero',
      'telefoon(?:nummer)?|mobiel(?:e nummer)?|gsm|bereikbaar op',
    ],
    gapPattern: '[^\\n\\d+([]{0,20}?',
    valuePattern: '[+(]?\\d(?:[\\d ()./-]{4,24})\\d',
  },
  {
    category: 'credit_card',
    phrases: [
      '(?:(?:credit|debit|bank)? ?card(?: number)?|visa|mastercard|amex)',
      '(?:kredit|bank|ec-?)?karten?-?(?:nummer|nr\\.?)|kreditkarte',
      'carte (?:bancaire|bleue|de crédit|de paiement)|numéro de (?:la |ma )?carte',
      'tarjeta(?: de crédito| de débito)?',
      'carta di (?:credito|debito)|numero (?:della|di) carta',
      'creditcard(?:nummer)?|kaartnummer|bankpas',
    ],
    gapPattern: SHORT_GAP,
    valuePattern: '\\d(?:[ -]?\\d){11,18}',
  },
  {
    category: 'date_of_birth',
    phrases: [
      'born|birth ?(?:day|date)?|dob',
      'geboren|geburts(?:tag|datum)',
      'née?|(?:date de )?naissance|anniversaire',
      'nacid[oa]|nací|(?:fecha de )?nacimiento|cumpleaños',
      'nat[oa] il|(?:data di )?nascita|compleanno',
      'geboorte(?:datum|dag)|verjaardag|jarig op',
    ],
    gapPattern: CODE_GAP,
    valuePattern: `(?:${DATE_PATTERN})(?![\\p{L}\\d])`,
  },
  {
    category: 'address',
    phrases: [
      "(?:my|our) (?:\\p{L}{1,12} )?address is|i live (?:at|in|on)|i(?:’|')?m at(?= \\d{1,5}[a-z]? (?!(?:am|pm|o|percent|the|of|a)(?!\\p{L}))\\p{L})|(?:deliver|send)(?:ed)? (?:it |them )?to|ship(?:ped)? (?:it |them )?to",
      '(?:ich wohne|wir wohnen) (?:in|im|am|an)(?: der)?|(?:meine|unsere) (?:\\p{L}{0,10}-?)?(?:adresse|anschrift) (?:ist|lautet)|(?:liefern|schicken|senden) sie (?:es |sie |das )?(?:bitte )?(?:an|nach|in)(?: die| den)?',
      "j[’']habite (?:au|à|dans|en)?|mon adresse(?: \\p{L}{1,12})? (?:est|c[’']est)(?: le| la| au)?|livrer (?:au|à)",
      'vivo en|mi dirección es|(?:envíe(?:n)?|mande(?:n)?)lo a',
      'abito in|vivo in|il mio indirizzo è',
      'ik woon (?:op|in|aan)(?: de| het)?|mijn adres is',
    ],
    gapPattern: '(?:\\s*:)?\\s+(?!\\s)',
    valuePattern:
      '(?=[^\\n!?]{0,80}\\d)(?:[^\\n.!?]|\\.(?=\\s?[\\p{Ll}\\d,])|(?<=(?:st|ave|rd|dr|str|apt|no))\\.){3,120}',
  },
]
