/** A kind of action, as far as the name of a tool tells. */
export type ActionKind = 'read' | 'search' | 'list' | 'write' | 'run' | 'fetch' | 'look' | 'call';

/** Beginnings of words of tool names, by the kind of action they promise. */
export const TOOL_WORDS: { readonly [Kind in ActionKind]: readonly string[] } = {
  read: ['read', 'open', 'view', 'cat', 'show', 'load', 'inspect'],
  search: ['search', 'find', 'grep', 'lookup', 'query', 'look'],
  list: ['list', 'ls', 'dir', 'tree', 'glob'],
  write: [
    'write',
    'edit',
    'create',
    'update',
    'save',
    'patch',
    'replace',
    'append',
    'insert',
    'add',
  ],
  run: ['run', 'exec', 'execute', 'bash', 'shell', 'command', 'terminal', 'test', 'build'],
  fetch: ['get', 'fetch', 'download', 'retrieve', 'request', 'http', 'browse', 'check', 'identify'],
  look: [],
  call: [],
};

/** How one language says that the speaker acts at once. */
export interface ActingLanguage {
  /** Beginnings that announce by themselves: `let me`. */
  readonly begins: string;
  /** Beginnings that only speak of the future, and need a word of now: `I will`. */
  readonly intends: string;
  /** Words of now. */
  readonly soon: string;
  /** What may stand between the beginning and the verb. */
  readonly between: string;
  /** Verbs by kind. `look` fits every tool that finds something out, `call` every tool. */
  readonly verbs: { readonly [Kind in ActionKind]?: string };
  /** Whether words are written without spaces between them. */
  readonly isUnspaced?: true;
}

/** Languages in which announcements are known; in any other one a text is an answer. */
export const ACTING_LANGUAGES: readonly ActingLanguage[] = [
  {
    begins: 'let me',
    intends: "i['’]?ll|i will|i am going to|i['’]m going to|i need to|i['’]m|i am",
    soon: 'now|first|next|start by|begin by|go ahead|quickly|right away',
    between: '(?: (?:now|first|then|next|just|quickly|also|start by|begin by|go ahead and))*',
    verbs: {
      read: 'open|read|view|opening|reading',
      search: 'search|find|grep|query|searching',
      list: 'list|listing',
      write: 'write|edit|create|update|modify|fix|patch|replace|save|editing|updating',
      run: 'run|execute|test|build|running|executing',
      fetch: 'get|fetch|download|retrieve|pull up|request|identify|fetching|retrieving',
      look: 'check|look|take a look|inspect|examine|review|verify|checking|looking|examining',
      call: 'call|use|invoke|calling|using',
    },
  },
  {
    begins: 'lass mich|lassen sie mich',
    intends: 'ich werde|ich will|ich muss',
    soon: 'jetzt|nun|zuerst|zunächst|als erstes|als nächstes|kurz',
    between: '(?: [^.!?]{0,80}?)?',
    verbs: {
      read: 'öffnen|lesen',
      search: 'suchen|durchsuchen',
      list: 'auflisten',
      write: 'schreiben|bearbeiten|anlegen|erstellen|ändern|aktualisieren|speichern',
      run: 'ausführen|starten|testen|bauen',
      fetch: 'abrufen|holen|herunterladen|abfragen',
      look: 'ansehen|anschauen|nachsehen|nachschlagen|untersuchen|prüfen|überprüfen',
      call: 'aufrufen|verwenden|benutzen',
    },
  },
  {
    begins: 'laissez-moi|laisse-moi',
    intends: 'je vais|je dois',
    soon: "maintenant|d[’']abord|tout de suite|commencer par",
    between: "(?: (?:maintenant|d[’']abord|tout de suite|commencer par))*",
    verbs: {
      read: 'ouvrir|lire',
      search: 'chercher|rechercher',
      list: 'lister|énumérer',
      write: 'écrire|modifier|créer|mettre à jour|enregistrer|corriger',
      run: 'exécuter|lancer|tester',
      fetch: 'récupérer|télécharger|obtenir',
      look: 'vérifier|examiner|consulter|regarder|inspecter',
      call: 'appeler|utiliser',
    },
  },
  {
    begins: 'déjame|déjeme|permíteme|permítame',
    intends: 'voy a|tengo que|debo',
    soon: 'ahora|primero|a continuación',
    between: '(?: (?:ahora|primero))*',
    verbs: {
      read: 'abrir|leer',
      search: 'buscar',
      list: 'listar|enumerar',
      write: 'escribir|editar|crear|modificar|actualizar|guardar|corregir',
      run: 'ejecutar|lanzar|probar',
      fetch: 'obtener|descargar',
      look: 'revisar|examinar|consultar|comprobar|verificar',
      call: 'llamar|usar|utilizar',
    },
  },
  {
    begins: 'deixe-me|deixa-me|deixe eu|deixa eu',
    intends: 'vou|preciso',
    soon: 'agora|primeiro|em seguida',
    between: '(?: (?:agora|primeiro))*',
    verbs: {
      read: 'abrir|ler',
      search: 'buscar|procurar|pesquisar',
      list: 'listar',
      write: 'escrever|editar|criar|modificar|atualizar|salvar|guardar|corrigir',
      run: 'executar|rodar|testar',
      fetch: 'obter|baixar',
      look: 'examinar|consultar|verificar|conferir',
      call: 'chamar|usar|utilizar',
    },
  },
  {
    begins: 'fammi|lasciami|lasciatemi|mi lasci',
    intends: 'sto per|devo|ora|adesso',
    soon: 'ora|adesso|prima|subito|per prima cosa',
    between: '(?: (?:ora|adesso|prima|subito))*',
    verbs: {
      read: 'aprire|leggere|apro|leggo',
      search: 'cercare|cerco',
      list: 'elencare|elenco',
      write: 'scrivere|modificare|creare|aggiornare|salvare|correggere',
      run: 'eseguire|lanciare|testare|eseguo',
      fetch: 'recuperare|scaricare|ottenere',
      look: 'esaminare|controllare|verificare|controllo|guardare',
      call: 'chiamare|usare|utilizzare',
    },
  },
  {
    begins: '让我(?:先|来|现在)?|我来|我这就|现在我?来',
    intends:
      '我(?:现在)?(?:将|会|要)(?:先)?|现在我?(?:将|要)|首先我?(?:来|将|要)?|接下来我?(?:将|要)?',
    soon: '现在|首先|先|接下来|马上',
    between: '(?:先|来|使用)?',
    verbs: {
      read: '打开|读取|阅读',
      search: '搜索|查找|查询',
      list: '列出',
      write: '写入|编辑|创建|修改|更新|保存',
      run: '运行|执行|测试',
      fetch: '获取|下载',
      look: '查看|检查|看看|看一下',
      call: '调用|使用',
    },
    isUnspaced: true,
  },
  {
    begins: 'これから|今から|まず|まずは',
    intends: 'では|それでは|次に',
    soon: '今|まず|すぐ|これから',
    between: '[^。！？]{0,40}?',
    verbs: {
      read: '(?:開き|読み|読み込み)ます',
      search: '(?:検索し|探し)ます',
      list: '(?:一覧表示し|列挙し)ます',
      write: '(?:書き込み|編集し|作成し|更新し|保存し)ます',
      run: '(?:実行し|テストし)ます',
      fetch: '(?:取得し|ダウンロードし)ます',
      look: '(?:確認し|調べ|調べてみ)ます',
      call: '(?:呼び出し|使い|使用し)ます',
    },
    isUnspaced: true,
  },
];
