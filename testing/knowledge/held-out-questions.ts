import { type AnswerableQuestion, questionsAbout, type UnanswerableQuestion, unansweredIn } from './question.ts'

/** Answerable questions, written without knowledge of the search and the other questions. */
export const heldOutAnswerable: readonly AnswerableQuestion[] = [
  ...questionsAbout('bank-accounts.md', [
    ['£ 9.90 a month', 'Plus account', 'Whats the fee for your Plus account, and can I get it waived somehow?'],
    [
      '£ 2.00',
      'Student account',
      'what do i pay at the cash machine with the student account after the free withdrawals?',
    ],
    [
      'cannot be overdrawn',
      'Youth',
      'If my daughter spends more than there is on her Youth account, does it go into the red?',
    ],
    ['2.75 %', 'fixed deposit', 'How much interst do I get if I put 5000 into a fixed deposit for 12 months?'],
    [
      'A transfer from the Joint account',
      'Joint account',
      'And what would it cost us to send money to my parents in Australia?',
      'My wife and I are thinking about the Joint account.',
    ],
  ]),
  ...questionsAbout('bike-prices.csv', [
    ['V1084', 'Heron 5', 'Is the Heron 5 from 2026 still availible in sky blue?'],
    ['V1161', 'Swift Cargo XL', 'how much for a black swift cargo xl, the 2026 one?'],
    [
      'V1210',
      'Wren Junior 24',
      'I am after a green Wren Junior 24 and the older 2025 one would do. What is the price?',
    ],
  ]),
  ...questionsAbout('bikes.md', [
    ['38.5 kg', 'Swift Cargo', 'How many kg does the Swift Cargo weigh? I have to get it up two steps every day.'],
    ['full after 8 hours', 'Heron 7', 'How long must a Heron 7 be plugged in until the battery is charged completely?'],
    [
      'Retrofitting a drive to the Wren Junior 24',
      'Wren Junior 24',
      'Could I put an electric motor on it later?',
      'My son rides a Wren Junior 24.',
    ],
    ['On Monday it stays closed', 'workshop', 'can i drop my bike off at the workshop on a monday?'],
  ]),
  ...questionsAbout('campings.md', [
    ['pas admis en juillet et en août', 'Le Lac', "Le Lac en août avec notre chien, c'est possible ?"],
    ['à partir de 16 h', 'La Dune', "on arrive vers 13h à La Dune, l'emplacement sera déja libre ?"],
    ['en camping-car 31 €', 'Pins', 'Vous prenez combien par nuit pour un camping-car aux Pins ?'],
    [
      'bassin naturel à 18 degrés',
      'Les Cimes',
      'Il y a une piscine là-bas ? Et l’eau est froide ?',
      'Nous avons pris une semaine en juillet, camping Les Cimes.',
    ],
  ]),
  ...questionsAbout('clinics.md', [
    ['otherwise we bill £ 40', 'Kelby', 'Do you charge me if I miss my appointment in Kelby?'],
    ['Thursday and Saturday from 10:00', 'Wexham', 'wich days can i get my blood taken in wexham'],
    ['there is no lift', 'Denham', "My mum can't manage stairs any more. Will that be a problem at Denham?"],
    [
      'three weeks before departure',
      'Millbrook',
      'We fly to Kenya in ten days, is that to late for our jabs at Millbrook?',
    ],
  ]),
  ...questionsAbout('examinations.md', [
    ['No coffee after noon', 'sleep study', 'may i drink a coffee on the afternoon before my sleep study?'],
    ['metformin', 'CT', "I'm diabetic and take metformin. Do I have to stop it for the CT?"],
    [
      'Antihistamines',
      'skin prick',
      'Will my hay fever pills mess up the skin prick result? When should I quit taking them?',
    ],
    ['noon of the day before', 'colonoscopy', 'When do I have to stop eating?', "I've got a colonoscopy next Friday."],
  ]),
  ...questionsAbout('gimnasios.md', [
    ['abre todos los días', 'Playa', '¿Puedo entrenar en Playa un domingo a las nueve de la mañana?'],
    [
      '45 días de antelación',
      'Sierra',
      'quiero darme de baja en el gimnasio Sierra, con cuanto tiempo tengo que avisar?',
    ],
    ['descuento del 50 %', 'Estación', 'Siempre voy en coche a Estación. ¿Dónde puedo dejarlo y cuánto me sale?'],
    [
      'La primera sesión con Marta',
      'Centro',
      '¿Quién me va a preparar la rutina?',
      'Hola, me acabo de apuntar al gimnasio Centro.',
    ],
  ]),
  ...questionsAbout('hotels.md', [
    ['except for assistance dogs', 'Lagos', 'Our labrador travels everywhere with us. Would she be welcome in Lagos?'],
    ['leave their car free of charge', 'Maré Sagres', 'whats parking at Maré Sagres per night?'],
    ['up to 4 days before arrival', 'Maré Évora', 'Until when can I cancel my booking at Maré Évora for free?'],
    ['open all year round', 'Maré Tavira', 'We are coming to Maré Tavira in January. Is the pool open then?'],
    ['called Ria', 'Maré Faro', 'I need a meeting room for 50 people at Maré Faro, is yours big enough?'],
    [
      '6:30 to 9:30',
      'Maré Setúbal',
      'Could I eat something at six in the morning?',
      'We stay at Maré Setúbal next week and have an early flight.',
    ],
  ]),
  ...questionsAbout('insurance.md', [
    ['bicycles up to £ 1,500', 'Home Comfort', 'Does Home Comfort pay when my bicycle is stolen from the cellar?'],
    ['excess of Travel Annual', 'Travel Annual', 'how much of a claim do i have to pay myself with travel annual?'],
    [
      'flooding from rivers, and glass',
      'Home Basic',
      'The river came into our flat last night. Does Home Basic pay for flooding?',
    ],
    ['one journey of up to 45 days', 'Travel Single', "I'm off to Asia for two months. Is one Travel Single enough?"],
    [
      'within 5 days through the app',
      'Bicycle',
      'How soon do I need to tell you?',
      'My new e-bike was stolen yesterday and I have your Bicycle policy.',
    ],
  ]),
  ...questionsAbout('kaffeemaschinen.md', [
    ['Taste Dampf fünf Sekunden', 'B10', 'Welche Taste muss ich zum Entkalken bei der B10 drücken?'],
    ['2,4 Liter', 'B30', 'wieviel liter passen in den wassertank von der b30?'],
    ['drei Stufen', 'B10', 'Kann man bei der B10 einstellen, wie fein der Kaffee gemahlen wird?'],
    [
      'Garantie der B20',
      'B20',
      'Gilt die Garantie dann trotzdem?',
      'Unsere Firma hat 14 Mitarbeiter und wir würden gern eine B20 in die Teeküche stellen.',
    ],
  ]),
  ...questionsAbout('ledgerly-help.html', [
    [
      'needs a connection at all times',
      'Ledgerly Web',
      'I often sit on trains with bad wifi. Can I keep writing bills in Ledgerly Web?',
    ],
    [
      'anyone who holds the phone',
      'Ledgerly Mobile',
      'got locked out of ledgerly mobile, wrong password too often. how long do i wait?',
    ],
    ['LG-207', 'LG-207', 'Ledgerly shows me LG-207, what am I supposed to do now?'],
    ['is for 2 people', 'Ledgerly Desktop', 'How many people can work in Ledgerly Desktop with the basic plan?'],
  ]),
  ...questionsAbout('lindenau-buergerservice.md', [
    ['nur Kartenzahlung', 'Bürgerbüro Süd', 'Kann ich im Bürgerbüro Süd auch bar bezahlen?'],
    ['42,00 Euro', 'Zone Mitte', 'was kostet anwohnerparken im jahr für zone mitte?'],
    [
      'nach vier Wochen',
      'Bürgerbüro West',
      'Wann kann ich ihn denn holen?',
      'Ich habe gestern im Bürgerbüro West einen neuen Reisepass beantragt.',
    ],
    ['Autoreifen', 'Sperrmüll', 'Nehmt ihr beim Sperrmüll auch alte Winterreifen mit?'],
    [
      'Plastiktüten',
      'Biomüll',
      'Meine Nachbarin packt ihren Biomüll immer in solche Beutel aus Maisstärke. Ist das erlaubt?',
    ],
  ]),
  ...questionsAbout('museum.json', [
    ['in July every day', 'museum', 'Is the museum open on tuesdays in July?'],
    ['gift of the navy', 'navy', 'Which of the diving helmets did the museum get from the navy?'],
    ['free under 18', 'museum', 'My nephew is 15. Does he have to pay at the museum as well?'],
  ]),
  ...questionsAbout('tariffs-2024.md', [
    ['Fennel L 2024 comes with', '2024', 'I signed up for Fennel L in 2024. What speed should I get?'],
    ['Fennel M 2024 costs', 'Fennel M 2024', 'fennel m 2024, what is the notice peroid?'],
  ]),
  ...questionsAbout('tariffs-2026.md', [
    [
      'no further card',
      'Fennel Senior',
      'Can my grandma order another card for her tablet if she is on Fennel Senior?',
    ],
    ['United States costs nothing', 'Fennel XL', 'how much is a call to the states on fennel xl'],
    ['Fennel S 2026 costs', 'Fennel S 2026', 'whats the price per month for Fennel S 2026?'],
    ['28th birthday', 'Youth tariff', 'What happens with it when I get older than 27?', "I'm on the Youth tariff."],
  ]),
  ...questionsAbout('university.md', [
    ['until 15 May', 'MSc Marine Biology', 'MSc Marine Biology: when is the deadline for applications?'],
    ['examination of the LLB Law can', 'Law', 'I flunked contracts in the Law degree. How many tries are left for me?'],
    ['£ 8,900', 'BA History', 'what does the BA History cost a year if im from the UK'],
    [
      'island of Skomer',
      'BSc Biology',
      'Do we get out of the lecture hall and into nature at some point?',
      "I'm thinking of doing BSc Biology.",
    ],
  ]),
  ...questionsAbout('washing-machines.md', [
    ['Code of the W900: E23', 'W900', 'My W900 shows E23. What does that mean?'],
    ['bottom left', 'W700', 'where do i find the filter on the w700'],
    ['Hold Start for 3 seconds', 'W500', 'How do I stop my toddler from pressing buttons on the W500?'],
    ['W700 takes up to 8 kg', 'W700', 'How many kg can I load into the W700?'],
    [
      'otherwise the WD750 walks',
      'WD750',
      'Is there anything to remove before I switch it on?',
      'Our new WD750 was delivered this morning.',
    ],
  ]),
]

/** About something that the business does not have. */
const aboutMissingTopics: readonly UnanswerableQuestion[] = [
  ...unansweredIn('bank-accounts.md', [
    'Do you have an account for charities or sports clubs?',
    'can i get a mortgage from you for a two bedroom flat?',
  ]),
  ...unansweredIn('bike-prices.csv', ['How much is the Kestrel 9 in black?']),
  ...unansweredIn('bikes.md', ['What range does the Heron 9 have?']),
  ...unansweredIn('campings.md', [
    'Combien coûte une nuit sous tente au camping La Falaise ?',
    'Avez-vous aussi des cabanes dans les arbres à louer ?',
  ]),
  ...unansweredIn('clinics.md', [
    'What time does Brookside Harlow open in the morning?',
    'is there a dentist at one of your practices? my tooth hurts',
  ]),
  ...unansweredIn('examinations.md', ['What should I know before my mammogram?']),
  ...unansweredIn('gimnasios.md', [
    '¿Cuánto cuesta al mes el gimnasio Fuerza Norte Puerto?',
    'qué día hay pilates en Sierra?',
  ]),
  ...unansweredIn('hotels.md', ['What does breakfast cost at Maré Porto?']),
  ...unansweredIn('insurance.md', [
    'How much is car insurance with you for a new driver?',
    'Do you also insure pets? My cat has to see the vet quite often.',
  ]),
  ...unansweredIn('kaffeemaschinen.md', ['Nach wie vielen Tassen muss ich die B40 entkalken?']),
  ...unansweredIn('ledgerly-help.html', ['How do I reset my password in Ledgerly Cloud?']),
  ...unansweredIn('lindenau-buergerservice.md', ['Wie komme ich zum Bürgerbüro Hafen?']),
  ...unansweredIn('museum.json', ['In which room can I find the Viking sword?']),
  ...unansweredIn('tariffs-2024.md', ['How many gigabytes were in the Fennel Business of 2024?']),
  ...unansweredIn('tariffs-2026.md', [
    'How much data do we get with Fennel Family?',
    'Do you offer internet for at home too, fibre or DSL?',
  ]),
  ...unansweredIn('university.md', ['When is the application deadline for the MSc Psychology?']),
  ...unansweredIn('washing-machines.md', ['My Nordhaus W300 says E18, what is wrong with it?']),
]

/** About a detail that the documents leave out. */
const aboutUncoveredAspects: readonly UnanswerableQuestion[] = [
  ...unansweredIn('bank-accounts.md', ['How do I close my Everyday account?']),
  ...unansweredIn('bike-prices.csv', ['Is the sky blue of the 2026 Heron 5 matt or glossy?']),
  ...unansweredIn('bikes.md', ['what top speed does the swift cargo reach?']),
  ...unansweredIn('campings.md', ['Quelle est la profondeur de la piscine au camping Les Pins ?']),
  ...unansweredIn('clinics.md', ['Is there somewhere to park my car at the Kelby practice?']),
  ...unansweredIn('examinations.md', [
    'How much is the sleep study if I pay for it myself?',
    'Can my husband stay in the room with me during the MRI of my knee?',
  ]),
  ...unansweredIn('gimnasios.md', [
    '¿Hay descuento para estudiantes en Centro?',
    '¿A qué temperatura está el agua para natación en Playa?',
  ]),
  ...unansweredIn('hotels.md', [
    'Do the rooms at Maré Lagos have a balcony?',
    'how far is it from Maré Sagres to the beach?',
  ]),
  ...unansweredIn('insurance.md', ['Which phone number do I call to speak with somebody about Home Premium?']),
  ...unansweredIn('kaffeemaschinen.md', [
    'Wie laut ist die B30 beim Mahlen?',
    'passt unter den auslauf der b20 auch ein latte macchiato glas?',
  ]),
  ...unansweredIn('ledgerly-help.html', ['What does an extra seat in Ledgerly Web cost?']),
  ...unansweredIn('lindenau-buergerservice.md', [
    'Was kostet ein neuer Reisepass im Bürgerbüro Mitte?',
    'Wie groß ist die graue Tonne für den Restmüll?',
  ]),
  ...unansweredIn('museum.json', ['how heavy is the lens from Nordby?']),
  ...unansweredIn('tariffs-2024.md', ['What was a minute to the US with Fennel M 2024?']),
  ...unansweredIn('tariffs-2026.md', [
    'On which day of the month is the money for Fennel Youth taken from my bank account?',
    'Is 5G included in Fennel M 2026?',
  ]),
  ...unansweredIn('university.md', ['Are there evening lectures in the MSc Data Science for people with a job?']),
  ...unansweredIn('washing-machines.md', ['How much water does the W500 use for one wash?']),
]

/** About topics outside the business. */
const aboutOtherTopics: readonly UnanswerableQuestion[] = [
  ...unansweredIn('bank-accounts.md', ['Any idea what to give my boss for his birthday?']),
  ...unansweredIn('bike-prices.csv', ["What's a used VW Golf worth these days?"]),
  ...unansweredIn('bikes.md', [
    'Which way along the Danube would you cycle with small kids?',
    'can you recommend an app for learning spanish',
  ]),
  ...unansweredIn('campings.md', [
    'Quelle est la capitale de l’Australie ?',
    'Vous connaissez un bon garagiste ? Ma voiture fait un drôle de bruit.',
  ]),
  ...unansweredIn('clinics.md', ['Do you have a recipe for lentil soup?']),
  ...unansweredIn('examinations.md', ['when does the next train to London leave?']),
  ...unansweredIn('gimnasios.md', ['¿Me recomiendas una serie para este fin de semana?']),
  ...unansweredIn('hotels.md', ['How do you say thank you in Portuguese?', 'Will it rain in the Algarve tomorrow?']),
  ...unansweredIn('insurance.md', ["Could you write a poem for my grandmother's 80th?"]),
  ...unansweredIn('kaffeemaschinen.md', ['Wer hat eigentlich das Telefon erfunden?']),
  ...unansweredIn('ledgerly-help.html', [
    'How do I clean the nozzles of my inkjet printer?',
    'What VAT do I have to charge on ebooks in Germany?',
  ]),
  ...unansweredIn('lindenau-buergerservice.md', [
    'Wie wird morgen das Wetter?',
    'hast du ein gutes rezept für kartoffelsalat?',
  ]),
  ...unansweredIn('museum.json', ['How do fish breathe under water?', 'Which ferry goes from Kiel to Oslo?']),
  ...unansweredIn('tariffs-2026.md', ['Who painted the Mona Lisa?']),
  ...unansweredIn('university.md', [
    'Is there a decent vegan restaurant near the station?',
    'Where can I buy a cheap second hand sofa?',
  ]),
  ...unansweredIn('washing-machines.md', [
    'How do I get red wine out of a white carpet?',
    'my dishwasher leaves streaks on the glasses, any idea why?',
  ]),
]

/** Questions without an answer, one third for each reason. */
export const heldOutUnanswerable = { aboutMissingTopics, aboutUncoveredAspects, aboutOtherTopics } as const
