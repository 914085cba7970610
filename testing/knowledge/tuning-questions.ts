import { type AnswerableQuestion, questionsAbout } from './question.ts'

/** The half of the questions for tuning rules and weights. */
export const tuningQuestions: readonly AnswerableQuestion[] = [
  ...questionsAbout('hotels.md', [
    ['Maré Tavira are ready from 14:00', 'Tavira', 'How early can we get into our room in Tavira?'],
    ['garage of Maré Lagos has 55 spaces', 'Lagos', 'what do you charge overnight for the car in lagos'],
    ['Dogs up to 15 kg stay', 'Faro', 'Our puppy weighs ten kilos, could he sleep over with us in Faro?'],
    ['The pool of Maré Lagos is open', 'Lagos', 'And during which months?', 'Can we go swimming in Lagos?'],
    ['rooms on the ground floor', 'Evora', 'My labrador is coming with us to Evora, what do we owe for him?'],
    ['is called Templo', 'Evora', 'How many chairs fit into the biggest conference space in Evora?'],
    ['leave their car free', 'Sagres', 'can i plug in my e-car overnight at the sagres house'],
  ]),
  ...questionsAbout('bikes.md', [
    ['battery of the Heron 7 holds', 'Heron 7', 'How far does the Heron 7 get on a single charge?'],
    ['Lark 5 comes in S', 'Lark 5', 'I am quite tall, do you sell the Lark 5 as a large one?'],
    ['frame of the Swift Cargo XL for', 'Swift Cargo XL', 'How many years of garantee has my new Swift Cargo XL?'],
    ['Wren Junior 24 is a bike', 'Wren Junior 24', 'My girl turns nine, does a Wren Junior 24 suit her?'],
    ['flat tyres are repaired', 'workshop', 'Can I bring something to the workshop on Mondays?'],
    ['weighs 38.5 kg', 'Swift Cargo', 'I am 1.85 tall and weigh 95 kilos, can a Swift Cargo take me plus shopping?'],
  ]),
  ...questionsAbout('bike-prices.csv', [
    ['V1112', 'Heron 7', 'What does the Heron 7 from 2026 cost in sky blue?'],
    ['V1007', 'Lark 3', 'Is any Lark 3 of 2025 in sand left?'],
  ]),
  ...questionsAbout('clinics.md', [
    ['Blood is taken in Kelby', 'Kelby', 'Which day can they draw my blood in Kelby?'],
    ['at least 48 hours before', 'Millbrook', 'What is the penalty for not showing up in Millbrook?'],
    ['vaccination hour in Wexham', 'Wexham', 'I fly to Kenya soon and live near Wexham, when can I get my shots?'],
    ['ready after 72 hours', 'Denham', 'how long untill my pills can be collected if I reorder at Denham?'],
  ]),
  ...questionsAbout('examinations.md', [
    ['Eat nothing for 6 hours', 'gastroscopy', 'May I still have a glass of water right ahead of my gastroscopy?'],
    ['looks at the liver and pancreas', 'abdomen', 'How many minutes must I lie in the tube for an abdomen MRI?'],
    ['seeds, nuts and wholemeal', 'colonoscopy', 'What foods should I avoid in the days leading up to a colonoscopy?'],
  ]),
  ...questionsAbout('tariffs-2026.md', [
    ['Fennel M 2026 costs', 'Fennel M', 'what do I pay monthly for the Fennel M in 2026?'],
    ['United States costs 12 cents', 'Youth', 'I phone my girlfriend in New York a lot, how much is that on Youth?'],
    [
      'Fennel S 2026 comes with',
      'Fennel S',
      'I took Fennel S in 2026, what happens once I have burnt through my volume?',
    ],
    ['value of € 599', 'XL', 'Could I pay off a new smartphone bit by bit if I take XL?'],
    ['Faults of masts', 'signal', 'I have got no signal at all, whom can I ring in the middle of the night?'],
    [
      'Fennel L 2026 costs',
      'Fennel L',
      'and how long would I be bound?',
      'I am thinking about Fennel L, the 2026 one.',
    ],
  ]),
  ...questionsAbout('tariffs-2024.md', [
    ['Fennel L 2024 comes with', 'Fennel L', 'I signed up in 2024: how many gigabytes does my Fennel L have?'],
  ]),
  ...questionsAbout('bank-accounts.md', [
    ['Everyday account costs £ 4.90', 'Everyday', 'How do I avoid the monthly charge on an Everyday account?'],
    ['Business account can be overdrawn', 'Business', 'Our Business account is in the red, which rate applies?'],
    [
      'transfer from the Student account',
      'Student',
      'I want to send money to my cousin in Brazil, I have the Student one, is it expensive?',
    ],
    ['2.75 %', '12 months', 'What would you pay me for a deposit of 12 months?'],
    ['transfer from the Plus account', 'Plus', 'what is added when I pay in dollars?', 'I have opened a Plus account.'],
  ]),
  ...questionsAbout('ledgerly-help.html', [
    ['formats of Ledgerly Web are', 'Web', 'Which file types can I save invoices as in Ledgerly Web?'],
    [
      'send is good for 5 minutes',
      'Mobile',
      'I cannot get into the Mobile app any more because I do not remember my secret word',
    ],
    ['LG-203', 'LG-203', 'LG-203 pops up all the time, how do I get rid of it?'],
    ['Desktop works without a connection', 'Desktop', 'Can I use the Desktop program on a plane with no wifi?'],
  ]),
  ...questionsAbout('washing-machines.md', [
    ['Code of the W700', 'W700', 'My W700 shows E18, what is wrong?'],
    ['W900 needs 90 ml', 'W900', 'How much soap goes into a W900 when it is full?'],
    ['Hold Spin for 5 seconds', 'W700', 'My toddler keeps pressing buttons on our W700, can I prevent that?'],
    [
      'filter of the W500 sits',
      'W500',
      'Some change fell out of a pocket and is stuck in the W500, how do I get at it?',
    ],
  ]),
  ...questionsAbout('insurance.md', [
    ['excess of Home Comfort is', 'Home Comfort', 'How much of a loss do I bear myself if I have Home Comfort?'],
    [
      'Travel Annual does not pay for',
      'Travel Annual',
      'I work abroad on building sites, is that fine with Travel Annual?',
    ],
    [
      'damage to Bicycle within',
      'Bicycle',
      'Mine was nicked yesterday, how fast must I tell you under the Bicycle policy?',
    ],
    [
      'damage to Home Basic within',
      'Home Basic',
      'My cellar was broken into, does Home Basic need anything official from the cops?',
    ],
    ['Home Premium insures', 'Home Premium', 'would a smashed window be paid?', 'I consider Home Premium.'],
  ]),
  ...questionsAbout('university.md', [
    [
      'Applications for the MSc Marine Biology',
      'MSc Marine',
      'MSc Marine Biology: what is the last day to hand in my papers?',
    ],
    ['LLB Law costs', 'LLB', 'What is the yearly tuition for an overseas student in LLB?'],
    ['BA History can be repeated', 'BA History', 'I flunked a paper in BA History, how many more attempts do I have?'],
    ['a placement of 20 weeks', 'Computer Science', 'Will I work in a company during BSc Computer Science?'],
    ['Applications for the BSc Biology', 'BSc Biology', 'what marks do I need?', 'I would like to study BSc Biology.'],
  ]),
  ...questionsAbout('lindenau-buergerservice.md', [
    ['Bürgerbüro Süd in der Straße', 'Süd', 'Um wie viel Uhr macht das Amt am Standort Süd morgens auf?'],
    ['Reisepass liegt im Bürgerbüro West', 'West', 'Wie lange dauert ein neuer Pass im Büro West?'],
    ['Parkausweis für die Zone Mitte', 'Mitte', 'Was zahle ich, um mein Auto als Anwohner in Mitte abzustellen?'],
    ['Biomüll kostet 4,10', 'Biomüll', 'Darf kompostierbare Folie in den Biomüll geworfen werden?'],
  ]),
  ...questionsAbout('kaffeemaschinen.md', [
    ['Die B20 meldet sich', 'B20', 'Wie starte ich die Entkalkung an meiner B20?'],
    ['Wassertank der B30', 'B30', 'Wie viel Wasser passt in die B30?'],
  ]),
  ...questionsAbout('campings.md', [
    ['camping Les Pins, le supplément', 'Pins', 'Combien faut-il payer pour notre chien aux Pins ?'],
    ['camping La Dune coûte', 'La Dune', 'Quel est le prix de la nuit en tente à La Dune ?'],
    ['camping Le Lac est ouvert', 'Le Lac', 'Peut-on déjà venir en avril à Le Lac ?'],
  ]),
  ...questionsAbout('gimnasios.md', [
    ['Fuerza Norte Playa abre', 'Playa', '¿A qué hora cierra el gimnasio de Playa?'],
    ['cuota mensual en Estación', 'Estación', '¿Cuánto pago al mes en Estación?'],
  ]),
  ...questionsAbout('museum.json', [
    ['prisms were broken by a bird', 'Skallen', 'How many miles away could ships see the light of Skallen?'],
    ['whole of January', 'January', 'will your doors be closed then?', 'We visit the town in January.'],
  ]),
]
