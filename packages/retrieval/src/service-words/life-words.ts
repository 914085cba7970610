/** Health, studies, work, seasons and the rest of life. The form of a list is said in `service-words.ts`. */
export const LIFE_WORDS = `
  doctor physician gp practice surgery practitioner medic | arzt ärztin praxis hausarzt | médecin docteur cabinet |
    médico doctor consulta | medico dottore ambulatorio | arts dokter huisarts praktijk ;
  dentist tooth teeth dental | zahnarzt zahn zähne | dentiste dent | dentista diente muela | dentista dente |
    tandarts tand tanden ;
  medicine medication drug pill tablet prescription pharmacy repeat reorder | medikament arznei tablette rezept
    apotheke | médicament ordonnance comprimé pharmacie | medicamento medicina receta pastilla farmacia | farmaco
    medicina ricetta pastiglia farmacia | medicijn geneesmiddel recept apotheek pil ;
  vaccine vaccination jab shot injection immunisation vaccinate inoculation booster | impfung impfen impfstoff
    spritze | vaccin vaccination vacciner piqûre | vacuna vacunación vacunar inyección | vaccino vaccinazione
    vaccinare iniezione | vaccinatie inenting vaccin prik ;
  blood sample test draw laboratory lab | blut blutabnahme probe labor | sang prise analyse laboratoire | sangre
    análisis muestra laboratorio | sangue prelievo analisi laboratorio | bloed bloedafname onderzoek laboratorium ;
  examination exam test checkup screening scan x-ray mri | untersuchung röntgen test vorsorge mrt | examen test
    dépistage radiographie irm | examen prueba revisión radiografía | esame controllo radiografia | onderzoek test
    röntgen ;
  fast fasting sober eat empty-stomach before | nüchtern fasten essen | jeun jeûne manger | ayunas ayuno | digiuno |
    nuchter ;
  ill sick illness disease sickness unwell | krank krankheit erkrankt | malade maladie | enfermo enfermedad | malato
    malattia | ziek ziekte ;
  pain painkiller ache hurt | schmerz schmerzmittel schmerzen | douleur mal antidouleur | dolor analgésico | dolore
    antidolorifico | pijn pijnstiller ;
  hospital clinic ward surgery operation | krankenhaus klinik operation station | hôpital clinique opération |
    hospital clínica operación | ospedale clinica operazione | ziekenhuis kliniek operatie ;
  pregnant pregnancy birth maternity expecting | schwanger schwangerschaft geburt | enceinte grossesse naissance |
    embarazada embarazo nacimiento | incinta gravidanza nascita | zwanger zwangerschaft zwangerschap geboorte ;
  marry marriage wedding register-office | heiraten heirat hochzeit eheschließung trauung | marier mariage noces |
    casarse boda matrimonio | sposarsi matrimonio nozze | trouwen huwelijk bruiloft ;
  study degree course programme studies bachelor master university college | studium studieren studiengang bachelor
    master universität | études étudier cursus diplôme université | estudios estudiar carrera grado máster
    universidad | studi studiare corso laurea università | studie studeren opleiding universiteit ;
  tuition fees fee grant scholarship bursary | studiengebühr stipendium gebühren | scolarité bourse droits |
    matrícula beca tasas | retta borsa tasse | collegegeld beurs ;
  grade mark marks result score qualification | note zensur ergebnis abschluss | note résultat moyenne | nota
    calificación resultado | voto risultato | cijfer resultaat ;
  exam examination test paper attempt resit repeat fail failed flunk | prüfung klausur versuch wiederholen
    durchgefallen | examen épreuve rattrapage échouer tentative | examen prueba intento suspender repetir | esame
    prova tentativo bocciare ripetere | examen tentamen herkansing poging gezakt ;
  placement internship work-placement company practical | praktikum betrieb praxissemester firma | stage entreprise
    | prácticas empresa | tirocinio stage azienda | stage bedrijf ;
  place spot admission vacancy quota accept | platz studienplatz zulassung aufnahme | place admission | plaza
    admisión | posto ammissione | plaats toelating ;
  language english speak level proficiency | sprache sprachkenntnisse niveau | langue parler niveau | idioma hablar
    nivel | lingua parlare livello | taal spreken niveau ;
  job work employment career vacancy hire apply | arbeit job stelle beruf karriere | emploi travail poste carrière |
    empleo trabajo puesto | lavoro impiego posto | baan werk vacature ;
  company firm business employer enterprise | firma unternehmen betrieb arbeitgeber | entreprise société employeur |
    empresa compañía negocio | azienda società impresa | bedrijf onderneming werkgever ;
  staff employee team colleague personnel | personal mitarbeiter team angestellte | personnel employé équipe |
    personal empleado equipo | personale dipendente | personeel medewerker ;
  complain complaint dissatisfied feedback | beschwerde reklamation beschweren | réclamation plainte plaindre |
    queja reclamación quejarse | reclamo lamentela | klacht klagen reclamatie ;
  rubbish waste garbage trash bin recycling compost litter organic | müll abfall tonne recycling kompost biomüll
    sperrmüll kompostierbar | déchets ordures poubelle recyclage compost | basura residuos reciclaje | rifiuti
    spazzatura riciclo | afval vuilnis recycling ;
  rent rental hire lease borrow tenant | mieten miete leihen verleih ausleihen mieter | louer location emprunter
    locataire | alquilar alquiler arrendar | noleggiare affitto noleggio | huren huur verhuur lenen ;
  tent caravan camper camping pitch motorhome campsite | zelt wohnwagen wohnmobil camping stellplatz | tente
    caravane camping emplacement camping-car | tienda caravana camping parcela autocaravana | tenda roulotte
    campeggio camper piazzola | tent caravan camping camper plaats ;
  beach sea coast shore ocean lake | strand meer küste see | plage mer côte lac | playa mar costa lago | spiaggia
    mare costa lago | strand zee kust meer ;
  tyre tire puncture wheel flat | reifen platten rad panne | pneu crevaison roue | neumático pinchazo rueda | gomma
    foratura ruota | band lek wiel ;
  brake brakes stop gear gears chain | bremse bremsen schaltung gang kette | frein vitesse chaîne | freno marcha
    cadena | freno marcia catena | rem versnelling ketting ;
  workshop garage mechanic service repair | werkstatt mechaniker | atelier garage mécanicien | taller mecánico |
    officina meccanico | werkplaats monteur ;
  spare part accessory replacement component | ersatzteil zubehör | pièce accessoire rechange | recambio accesorio
    repuesto | ricambio accessorio | onderdeel accessoire ;
  ride rider drive driver passenger | fahren fahrer mitfahrer beifahrer | conduire conducteur passager | conducir
    conductor pasajero | guidare guidatore passeggero | rijden bestuurder passagier ;
  age old years minimum young birthday | alter alt jahre mindestalter | âge ans vieux | edad años viejo | età anni
    vecchio | leeftijd oud jaren ;
  weekend saturday sunday | wochenende samstag sonntag | week-end samedi dimanche | sábado domingo | sabato domenica
    weekend | weekend zaterdag zondag ;
  holiday bank-holiday vacation christmas easter festive | feiertag urlaub ferien weihnachten ostern | férié
    vacances noël pâques | festivo vacaciones navidad pascua | festivo vacanza natale pasqua | feestdag vakantie
    kerst pasen ;
  season summer winter spring autumn month months | saison sommer winter monat | saison été hiver mois | temporada
    verano invierno mes | stagione estate inverno mese | seizoen zomer winter maand ;
  daily day every everyday | täglich tag | quotidien jour | diario día | quotidiano giorno | dagelijks dag ;
  yearly annual year annually | jährlich jahr | annuel an année | anual año | annuale anno | jaarlijks jaar ;
  monthly month | monatlich monat | mensuel mois | mensual mes | mensile mese | maandelijks maand ;
  night late midnight after-hours evening | nacht spät nachts abend abends | nuit tard soir soirée | noche tarde |
    notte tardi sera | nacht laat avond ;
  early morning earliest | früh morgens morgen frühestens | tôt matin matinée | temprano mañana pronto | presto
    mattina | vroeg ochtend ;
  bonus gift reward loyalty points present | bonus prämie geschenk punkte treue | bonus cadeau fidélité points prime
    | bono regalo puntos fidelidad | bonus regalo punti fedeltà | bonus cadeau punten ;
  number keep port take-along existing | rufnummer mitnehmen nummer portieren | numéro conserver portabilité |
    número conservar portabilidad | numero mantenere portabilità | nummer behouden meenemen ;
  sim esim card chip | sim karte esim | sim carte puce | sim tarjeta chip | sim scheda | sim kaart ;
  tablet watch device devices second additional extra further | tablet uhr gerät zusätzlich weitere | tablette
    montre appareil supplémentaire | tableta reloj dispositivo adicional | tablet orologio dispositivo aggiuntivo |
    tablet horloge toestel extra ;
  extra additional further supplement surcharge more add added | zusätzlich weitere zuschlag extra aufpreis |
    supplément supplémentaire extra ajouter | suplemento adicional extra añadir | supplemento aggiuntivo extra |
    toeslag extra aanvullend ;
  exhaust exhausted used-up consumed throttled slowed | aufgebraucht verbraucht gedrosselt | épuisé consommé ralenti
    | agotado consumido | esaurito consumato | opgebruikt verbruikt ;
  bounce returned rejected declined refused | abgelehnt zurückgewiesen verweigert | refusé rejeté | rechazado
    denegado | rifiutato respinto | geweigerd afgewezen ;
  deposit down-payment prepayment advance security | anzahlung kaution vorauszahlung | acompte caution arrhes |
    depósito fianza anticipo | caparra acconto deposito | aanbetaling borg ;
  confirm confirmation verify verification | bestätigen bestätigung | confirmer confirmation vérifier | confirmar
    confirmación verificar | confermare conferma verificare | bevestigen bevestiging ;
  wait waiting queue waiting-time | warten wartezeit schlange | attendre attente file | esperar espera cola |
    attendere attesa coda | wachten wachttijd rij ;
  clothes clothing dress wear shoe shoes outfit nightwear | kleidung tragen schuhe anziehen | vêtements porter
    chaussures tenue | ropa llevar zapatos vestir | vestiti indossare scarpe | kleding dragen schoenen ;
  toilet restroom bathroom shower washroom wc sanitary | toilette wc bad dusche sanitär | toilettes sanitaires
    douche | baño aseo ducha servicios | bagno doccia servizi | toilet douche badkamer ;
  garden outside outdoor terrace balcony patio | garten draußen terrasse balkon | jardin extérieur terrasse balcon |
    jardín exterior terraza balcón | giardino esterno terrazza balcone | tuin buiten terras balkon ;
  view sea-view panorama overlook | aussicht blick meerblick | vue panorama | vista panorama | vista panorama |
    uitzicht ;
  ground-floor floor storey level | etage stock stockwerk erdgeschoss | étage rez | planta piso | piano | verdieping
    begane ;
  music band concert entertainment show | musik konzert unterhaltung | musique concert spectacle | música concierto
    espectáculo | musica concerto spettacolo | muziek concert show ;
  recipe ingredient contain contains made material consist | zutat enthält bestandteil material bestehen |
    ingrédient contenir matière | ingrediente contiene material | ingrediente contiene materiale | ingrediënt bevat
    materiaal ;
  environment sustainable organic green eco | umwelt nachhaltig bio öko | environnement durable bio | medioambiente
    sostenible ecológico | ambiente sostenibile biologico | milieu duurzaam biologisch ;
  hotel house inn hostel | hotel haus herberge | hôtel maison auberge | hotel casa hostal | hotel casa ostello |
    hotel huis herberg ;
  surfboard board ski equipment sport gear | ausrüstung sportgerät | équipement matériel | equipo material
    equipamiento | attrezzatura | uitrusting ;
  jewellery valuables money cash precious | schmuck wertsachen bargeld | bijoux valeur objets | joyas objetos valor
    | gioielli oggetti valore | sieraden waardevol ;
  flat apartment home house household contents | wohnung haus hausrat haushalt | appartement maison logement | piso
    casa vivienda hogar | appartamento casa abitazione | woning huis appartement ;
  cellar basement attic storage | keller dachboden | cave sous-sol grenier | sótano bodega | cantina soffitta |
    kelder zolder ;
  inherit death die deceased widow funeral | tod sterben verstorben erbe bestattung | décès mort héritage | muerte
    fallecimiento herencia | morte decesso eredità | dood overlijden erfenis ;
  authorise proxy representative behalf somebody | vollmacht bevollmächtigt vertreter | procuration mandataire |
    poder autorización representante | delega procura | machtiging volmacht ;
  language translation interpreter translate | übersetzung dolmetscher übersetzen | traduction interprète |
    traducción intérprete | traduzione interprete | vertaling tolk ;
`
