import { invalid, unsupported } from './requests.ts';

export type ExpressionKind = 'ConditionExpression' | 'KeyConditionExpression' | 'UpdateExpression';

export const invalidExpression = (kind: ExpressionKind, reason: string) =>
  invalid(`Invalid ${kind}: ${reason}`);

const pattern = /[A-Za-z][A-Za-z0-9_]*|[#:][A-Za-z0-9_]+|[0-9]+|<>|<=|>=|[^\s]/g;

const identifier = /^[A-Za-z]/;

const maxExpressionBytes = 4096;

/** DynamoDB's reserved words (Amazon DynamoDB Developer Guide, "Reserved words in DynamoDB"), 573 of them. */
const words = `
ABORT ABSOLUTE ACTION ADD AFTER AGENT AGGREGATE ALL ALLOCATE ALTER ANALYZE AND ANY ARCHIVE ARE ARRAY AS ASC ASCII
ASENSITIVE ASSERTION ASYMMETRIC AT ATOMIC ATTACH ATTRIBUTE AUTH AUTHORIZATION AUTHORIZE AUTO AVG BACK BACKUP BASE BATCH
BEFORE BEGIN BETWEEN BIGINT BINARY BIT BLOB BLOCK BOOLEAN BOTH BREADTH BUCKET BULK BY BYTE CALL CALLED CALLING CAPACITY
CASCADE CASCADED CASE CAST CATALOG CHAR CHARACTER CHECK CLASS CLOB CLOSE CLUSTER CLUSTERED CLUSTERING CLUSTERS COALESCE
COLLATE COLLATION COLLECTION COLUMN COLUMNS COMBINE COMMENT COMMIT COMPACT COMPILE COMPRESS CONDITION CONFLICT CONNECT
CONNECTION CONSISTENCY CONSISTENT CONSTRAINT CONSTRAINTS CONSTRUCTOR CONSUMED CONTINUE CONVERT COPY CORRESPONDING COUNT
COUNTER CREATE CROSS CUBE CURRENT CURSOR CYCLE DATA DATABASE DATE DATETIME DAY DEALLOCATE DEC DECIMAL DECLARE DEFAULT
DEFERRABLE DEFERRED DEFINE DEFINED DEFINITION DELETE DELIMITED DEPTH DEREF DESC DESCRIBE DESCRIPTOR DETACH DETERMINISTIC
DIAGNOSTICS DIRECTORIES DISABLE DISCONNECT DISTINCT DISTRIBUTE DO DOMAIN DOUBLE DROP DUMP DURATION DYNAMIC EACH ELEMENT
ELSE ELSEIF EMPTY ENABLE END EQUAL EQUALS ERROR ESCAPE ESCAPED EVAL EVALUATE EXCEEDED EXCEPT EXCEPTION EXCEPTIONS
EXCLUSIVE EXEC EXECUTE EXISTS EXIT EXPLAIN EXPLODE EXPORT EXPRESSION EXTENDED EXTERNAL EXTRACT FAIL FALSE FAMILY FETCH
FIELDS FILE FILTER FILTERING FINAL FINISH FIRST FIXED FLATTERN FLOAT FOR FORCE FOREIGN FORMAT FORWARD FOUND FREE FROM
FULL FUNCTION FUNCTIONS GENERAL GENERATE GET GLOB GLOBAL GO GOTO GRANT GREATER GROUP GROUPING HANDLER HASH HAVE HAVING
HEAP HIDDEN HOLD HOUR IDENTIFIED IDENTITY IF IGNORE IMMEDIATE IMPORT IN INCLUDING INCLUSIVE INCREMENT INCREMENTAL INDEX
INDEXED INDEXES INDICATOR INFINITE INITIALLY INLINE INNER INNTER INOUT INPUT INSENSITIVE INSERT INSTEAD INT INTEGER
INTERSECT INTERVAL INTO INVALIDATE IS ISOLATION ITEM ITEMS ITERATE JOIN KEY KEYS LAG LANGUAGE LARGE LAST LATERAL LEAD
LEADING LEAVE LEFT LENGTH LESS LEVEL LIKE LIMIT LIMITED LINES LIST LOAD LOCAL LOCALTIME LOCALTIMESTAMP LOCATION LOCATOR
LOCK LOCKS LOG LOGED LONG LOOP LOWER MAP MATCH MATERIALIZED MAX MAXLEN MEMBER MERGE METHOD METRICS MIN MINUS MINUTE
MISSING MOD MODE MODIFIES MODIFY MODULE MONTH MULTI MULTISET NAME NAMES NATIONAL NATURAL NCHAR NCLOB NEW NEXT NO NONE NOT
NULL NULLIF NUMBER NUMERIC OBJECT OF OFFLINE OFFSET OLD ON ONLINE ONLY OPAQUE OPEN OPERATOR OPTION OR ORDER ORDINALITY
OTHER OTHERS OUT OUTER OUTPUT OVER OVERLAPS OVERRIDE OWNER PAD PARALLEL PARAMETER PARAMETERS PARTIAL PARTITION
PARTITIONED PARTITIONS PATH PERCENT PERCENTILE PERMISSION PERMISSIONS PIPE PIPELINED PLAN POOL POSITION PRECISION PREPARE
PRESERVE PRIMARY PRIOR PRIVATE PRIVILEGES PROCEDURE PROCESSED PROJECT PROJECTION PROPERTY PROVISIONING PUBLIC PUT QUERY
QUIT QUORUM RAISE RANDOM RANGE RANK RAW READ READS REAL REBUILD RECORD RECURSIVE REDUCE REF REFERENCE REFERENCES
REFERENCING REGEXP REGION REINDEX RELATIVE RELEASE REMAINDER RENAME REPEAT REPLACE REQUEST RESET RESIGNAL RESOURCE
RESPONSE RESTORE RESTRICT RESULT RETURN RETURNING RETURNS REVERSE REVOKE RIGHT ROLE ROLES ROLLBACK ROLLUP ROUTINE ROW
ROWS RULE RULES SAMPLE SATISFIES SAVE SAVEPOINT SCAN SCHEMA SCOPE SCROLL SEARCH SECOND SECTION SEGMENT SEGMENTS SELECT
SELF SEMI SENSITIVE SEPARATE SEQUENCE SERIALIZABLE SESSION SET SETS SHARD SHARE SHARED SHORT SHOW SIGNAL SIMILAR SIZE
SKEWED SMALLINT SNAPSHOT SOME SOURCE SPACE SPACES SPARSE SPECIFIC SPECIFICTYPE SPLIT SQL SQLCODE SQLERROR SQLEXCEPTION
SQLSTATE SQLWARNING START STATE STATIC STATUS STORAGE STORE STORED STREAM STRING STRUCT STYLE SUB SUBMULTISET
SUBPARTITION SUBSTRING SUBTYPE SUM SUPER SYMMETRIC SYNONYM SYSTEM TABLE TABLESAMPLE TEMP TEMPORARY TERMINATED TEXT THAN
THEN THROUGHPUT TIME TIMESTAMP TIMEZONE TINYINT TO TOKEN TOTAL TOUCH TRAILING TRANSACTION TRANSFORM TRANSLATE TRANSLATION
TREAT TRIGGER TRIM TRUE TRUNCATE TTL TUPLE TYPE UNDER UNDO UNION UNIQUE UNIT UNKNOWN UNLOGGED UNNEST UNPROCESSED UNSIGNED
UNTIL UPDATE UPPER URL USAGE USE USER USERS USING UUID VACUUM VALUE VALUED VALUES VARCHAR VARIABLE VARIANCE VARINT
VARYING VIEW VIEWS VIRTUAL VOID WAIT WHEN WHENEVER WHERE WHILE WINDOW WITH WITHIN WITHOUT WORK WRAPPED WRITE YEAR ZONE`;

const reserved: ReadonlySet<string> = new Set(words.trim().split(/\s+/));

/** Whether expressions may not use a name as it is: they need a placeholder for it. Case does not matter. */
const isReservedWord = (name: string): boolean => reserved.has(name.toUpperCase());

export class Tokens {
  readonly #kind: ExpressionKind;
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(kind: ExpressionKind, text: string) {
    this.#kind = kind;
    if (text === '') throw this.error('The expression can not be empty;');
    if (Buffer.byteLength(text) > maxExpressionBytes)
      throw this.error('Expression size has exceeded the maximum allowed size');
    this.#tokens = text.match(pattern) ?? [];
  }

  peek(ahead = 0): string | undefined {
    return this.#tokens[this.#at + ahead];
  }

  atWord(word: string): boolean {
    return this.peek()?.toUpperCase() === word;
  }

  take(text: string): boolean {
    if (this.peek() !== text) return false;
    this.#at += 1;
    return true;
  }

  takeWord(word: string): boolean {
    if (!this.atWord(word)) return false;
    this.#at += 1;
    return true;
  }

  expect(text: string): void {
    if (!this.take(text)) throw this.syntaxError();
  }

  takeValue(): string | undefined {
    const token = this.peek();
    if (token === undefined || token.length < 2 || !token.startsWith(':')) return undefined;
    this.#at += 1;
    return token;
  }

  atCall(): boolean {
    return identifier.test(this.peek() ?? '') && this.peek(1) === '(';
  }

  attribute(): string {
    const token = this.peek() ?? '';
    if (!identifier.test(token) && !/^#\w/.test(token)) throw this.syntaxError();
    if (isReservedWord(token))
      throw this.error(`Attribute name is a reserved keyword; reserved keyword: ${token}`);
    this.#at += 1;
    if (this.peek() === '.' || this.peek() === '[') throw unsupported('paths into lists and maps');
    return token;
  }

  call<T>(counts: Readonly<Record<string, number>>, operand: () => T): readonly [string, readonly T[]] {
    const name = this.peek() ?? '';
    const count = Object.hasOwn(counts, name) ? counts[name] : undefined;
    if (count === undefined) throw this.error(`Invalid function name; function: ${name}`);
    this.#at += 1;
    this.expect('(');
    const operands = [operand()];
    while (this.take(',')) operands.push(operand());
    this.expect(')');
    if (operands.length === count) return [name, operands];
    throw this.error(`Incorrect number of operands for operator or function; operator or function: ${name}`);
  }

  end(): void {
    if (this.peek() !== undefined) throw this.syntaxError();
  }

  error(reason: string) {
    return invalidExpression(this.#kind, reason);
  }

  syntaxError() {
    const near = this.#tokens.slice(Math.max(0, this.#at - 1), this.#at + 2).join(' ');
    return this.error(`Syntax error; token: "${this.peek() ?? '<EOF>'}", near: "${near}"`);
  }
}

/** Remembers what `parse` made of the last expressions; the number of different ones in use is small. */
export const rememberParsed = <T>(parse: (text: string) => T): ((text: string) => T) => {
  const known = new Map<string, T>();
  return text => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const parsed = parse(text);
    if (known.size >= maxRemembered) known.clear();
    known.set(text, parsed);
    return parsed;
  };
};

const maxRemembered = 500;
