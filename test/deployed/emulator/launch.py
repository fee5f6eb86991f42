"""Starts MiniStack with what it does differently from AWS put right, and writes every decision of IAM to a file.

Each fault stands in FAULTS: what MiniStack does, what AWS says, and the function that mends it. Each can be reported to
MiniStack as it stands. When a release has mended one, its row goes.
"""

import contextlib
import contextvars
import importlib
import json
import os
import re
import sys
import time
import time

sys.argv = ["ministack"]

import ministack.app as app  # noqa: E402
import ministack.core.iam_actions as actions  # noqa: E402
import ministack.core.iam_evaluator as evaluator  # noqa: E402
import ministack.services.apigateway_v1 as apigateway  # noqa: E402


def host_of_apis():
    app._EXECUTE_API_RE = re.compile(r"^([a-f0-9]{8})\.execute-api\.[a-z0-9-]+\.amazonaws\.com(?::\d+)?$")


def arn_of_assumed_roles():
    resolve = evaluator._resolve_condition_key

    def resolved(key, context):
        if key.lower() == "aws:principalarn" and ":assumed-role/" in context.principal_arn:
            iam = importlib.import_module("ministack.services.iam")
            name = evaluator._role_name_from_assumed_arn(context.principal_arn)
            role = iam._roles.get_scoped(context.principal_account, None, name)
            if role and role.get("Arn"):
                return role["Arn"]
        return resolve(key, context)

    evaluator._resolve_condition_key = resolved


def keys_of_authorisers():
    keys = {}
    invoke = apigateway._invoke_authorizer_lambda
    from_header = apigateway._api_key_from_request

    def authorization(headers):
        return apigateway._header_ci(headers or {}, "authorization")

    async def invoked(authorizer, event, account_id, region):
        result = await invoke(authorizer, event, account_id, region)
        body = (result or {}).get("body")
        if isinstance(body, (str, bytes)):
            with contextlib.suppress(ValueError):
                body = json.loads(body)
        if isinstance(body, dict) and body.get("usageIdentifierKey"):
            keys[authorization(event.get("headers"))] = body["usageIdentifierKey"]
        return result

    apigateway._invoke_authorizer_lambda = invoked
    apigateway._api_key_from_request = lambda headers: keys.get(authorization(headers)) or from_header(headers)


def plans_of_a_key():
    every = apigateway._get_usage_plans

    def plans(query):
        wanted = (query or {}).get("keyId")
        key = wanted[0] if isinstance(wanted, list) else wanted
        if not key:
            return every(query)
        found = [
            plan
            for identifier, plan in apigateway._usage_plans.items()
            if key in (apigateway._usage_plan_keys.get(identifier) or {})
        ]
        return apigateway._v1_paginated_response(found, query)

    apigateway._get_usage_plans = plans


def path_as_an_identity_source():
    sources = apigateway._request_identity_sources
    numbers = iter(range(10**9))

    def with_path(identity_source, headers, query, stage):
        names = [name.strip() for name in (identity_source or "").split(",") if name.strip()]
        if "context.path" not in names:
            return sources(identity_source, headers, query, stage)
        others = ",".join(name for name in names if name != "context.path")
        present, values = sources(others, headers, query, stage)
        # The path is not at hand here. No two requests have the same value, so nothing is cached.
        return present, [*values, str(next(numbers))]

    apigateway._request_identity_sources = with_path


def replace_extraction(changed):
    """Puts another function in the place of extract_iam_action, wherever it was imported."""
    extract = actions.extract_iam_action
    replacement = changed(extract)
    for module in list(sys.modules.values()):
        if getattr(module, "extract_iam_action", None) is extract:
            module.extract_iam_action = replacement


def actions_on_one_alias():
    methods = {"GET": "lambda:GetAlias", "PUT": "lambda:UpdateAlias", "DELETE": "lambda:DeleteAlias"}
    one_alias = re.compile(r"/functions/[^/]+/aliases/[^/]+$")

    def changed(extract):
        def named(service, method, path, *given, **more):
            if service == "lambda" and one_alias.search(path) and method in methods:
                return methods[method]
            return extract(service, method, path, *given, **more)

        return named

    replace_extraction(changed)


def actions_of_batches():
    def changed(extract):
        def single(*given, **named):
            action = extract(*given, **named)
            is_batch = action and action.startswith("sqs:") and action.endswith("Batch")
            return action[: -len("Batch")] if is_batch else action

        return single

    replace_extraction(changed)


WORDS = set(
    "set remove add delete and or not in between attribute_exists attribute_not_exists attribute_type"
    " begins_with contains size if_not_exists list_append".split()
)


def attributes_in(expression, names):
    """The top-level attributes that an expression of DynamoDB names."""
    text = re.sub(r"\.[#\w]+|\[\d+\]", "", expression or "")
    for token in re.findall(r"[:#\w]+", text):
        if not token.startswith(":") and token.lower() not in WORDS and not token.isdigit():
            yield names.get(token, token)


class ItemAccess:
    """The partition keys and attributes of one part of a request to DynamoDB."""

    def __init__(self, part, partition_key):
        names = part.get("ExpressionAttributeNames") or {}
        item = part.get("Key") or part.get("Item") or {}
        self.keys = [item[partition_key].get("S")] if partition_key in item else []
        self.attributes = set(item)
        equals = re.findall(r"([#\w]+)\s*=\s*(:\w+)", part.get("KeyConditionExpression") or "")
        for name, value in equals:
            if names.get(name, name) == partition_key:
                self.keys.append((part.get("ExpressionAttributeValues") or {}).get(value, {}).get("S"))
        for expression in ("UpdateExpression", "ConditionExpression"):
            self.attributes |= set(attributes_in(part.get(expression), names))

    def context(self, is_write):
        found = {"dynamodb:LeadingKeys": self.keys} if self.keys else {}
        return {**found, "dynamodb:Attributes": sorted(self.attributes)} if is_write else found


class ItemAction(str):
    """An action on one item of a transaction, with the condition keys of that item."""

    keys = {}


def partition_key_of(table):
    dynamodb = importlib.import_module("ministack.services.dynamodb")
    known = dynamodb._tables.get(table.split("/")[-1]) or {}
    schema = known.get("KeySchema") or []
    return next((key["AttributeName"] for key in schema if key["KeyType"] == "HASH"), "pk")


def keys_of_a_batch(table, requests):
    key = partition_key_of(table)
    if isinstance(requests, dict):
        return [one[key].get("S") for one in requests.get("Keys", [])]
    items = [
        (write.get("PutRequest") or {}).get("Item") or (write.get("DeleteRequest") or {}).get("Key") or {}
        for write in requests
    ]
    return [(item.get(key) or {}).get("S") for item in items]


def contexts_by_table(data):
    if isinstance(data.get("RequestItems"), dict):
        return {
            table: {"dynamodb:LeadingKeys": keys_of_a_batch(table, requests)}
            for table, requests in data["RequestItems"].items()
        }
    table = data.get("TableName")
    if not table:
        return {}
    access = ItemAccess(data, partition_key_of(table))
    is_index = bool(data.get("IndexName"))
    is_write = bool(data.get("UpdateExpression") or data.get("Item"))
    return {table: {} if is_index else access.context(is_write)}


def leading_keys():
    context_of = actions.dynamodb_service_context
    checks_of = actions.dynamodb_transaction_checks
    enforce = evaluator.enforce

    def with_tables(body):
        context = context_of(body)
        with contextlib.suppress(ValueError, AttributeError):
            context["tables"] = contexts_by_table(json.loads(body or b"{}"))
        return context

    def with_items(iam_action, body, region, account_id):
        checks = checks_of(iam_action, body, region, account_id)
        if not checks:
            return checks
        parts = [
            (member, item[member])
            for item in json.loads(body)["TransactItems"]
            for member in actions._DYNAMODB_TRANSACT_ITEM_ACTIONS
            if isinstance(item.get(member), dict)
        ]
        found = []
        for (action, arn), (member, part) in zip(checks, parts, strict=True):
            named = ItemAction(action)
            access = ItemAccess(part, partition_key_of(part["TableName"]))
            named.keys = access.context(member in ("Update", "Put"))
            found.append((named, arn))
        return found

    def enforced(access_key, iam_action, service, region, resource_arn="*", service_context=None):
        if service == "dynamodb":
            service_context = dict(service_context or {})
            tables = service_context.pop("tables", {})
            table = resource_arn.split(":table/")[-1].split("/")[0]
            service_context.update(getattr(iam_action, "keys", None) or tables.get(table, {}))
        return enforce(
            access_key, str(iam_action), service, region, resource_arn=resource_arn, service_context=service_context
        )

    actions.dynamodb_service_context = with_tables
    actions.dynamodb_transaction_checks = with_items
    evaluator.enforce = enforced


def keys_named_by_an_alias():
    enforce = evaluator.enforce

    def enforced(access_key, iam_action, service, region, resource_arn="*", service_context=None):
        if service == "kms" and ":alias/" in resource_arn and "Alias" not in iam_action:
            kms = importlib.import_module("ministack.services.kms")
            key = kms._resolve_key(resource_arn.split(":", 5)[5])
            resource_arn = key["Arn"] if key else resource_arn
        return enforce(
            access_key, iam_action, service, region, resource_arn=resource_arn, service_context=service_context
        )

    evaluator.enforce = enforced


class AlarmArns(str):
    """The ARN of the first alarm that a call names, with those of the others."""

    others = ()


def alarms_by_name():
    arn_of = actions.extract_resource_arn
    enforce = evaluator.enforce

    def with_names(service, method, path, headers, body, query, region, account_id):
        found = arn_of(service, method, path, headers, body, query, region, account_id)
        with contextlib.suppress(ValueError, AttributeError):
            names = json.loads(body or b"{}").get("AlarmNames")
            if service == "monitoring" and names:
                first, *others = [f"arn:aws:cloudwatch:{region}:{account_id}:alarm:{name}" for name in names]
                arns = AlarmArns(first)
                arns.others = others
                return arns
        return found

    def enforced(access_key, iam_action, service, region, resource_arn="*", service_context=None):
        for arn in (resource_arn, *getattr(resource_arn, "others", ())):
            denied = enforce(
                access_key, iam_action, service, region, resource_arn=str(arn), service_context=service_context
            )
            if denied:
                return denied
        return None

    actions.extract_resource_arn = with_names
    evaluator.enforce = enforced


def specs_of_new_keys():
    tags_of = actions.request_tag_context

    def with_spec(service, iam_action, body, params):
        context = tags_of(service, iam_action, body, params)
        if iam_action == "kms:CreateKey":
            wanted = json.loads(body or b"{}")
            spec = wanted.get("KeySpec") or wanted.get("CustomerMasterKeySpec") or "SYMMETRIC_DEFAULT"
            context = {**context, "kms:KeySpec": spec}
        return context

    actions.request_tag_context = with_spec


def tags_of_user_pools():
    tagging = importlib.import_module("ministack.services.tagging")
    cognito = importlib.import_module("ministack.services.cognito")

    def collect():
        for identifier, pool in cognito._user_pools.items():
            arn = f"arn:aws:cognito-idp:{tagging.get_region()}:{tagging._account()}:userpool/{identifier}"
            yield arn, [{"Key": key, "Value": value} for key, value in pool.get("UserPoolTags", {}).items()]

    tagging._RESOURCE_TAG_COLLECTORS["cognito-idp"] = collect


def boundaries_of_roles():
    provisioners = importlib.import_module("ministack.services.cloudformation.provisioners")
    iam = importlib.import_module("ministack.services.iam")
    role = provisioners._RESOURCE_HANDLERS["AWS::IAM::Role"]
    create, update = role["create"], role["update"]

    def bound(made, properties):
        iam._roles.get(made[0])["PermissionsBoundary"] = properties.get("PermissionsBoundary")
        return made

    role["create"] = lambda logical_id, properties, stack_name: bound(
        create(logical_id, properties, stack_name), properties
    )
    role["update"] = lambda physical_id, old, new, stack_name, logical_id=None: bound(
        update(physical_id, old, new, stack_name, logical_id), new
    )


def settings_of_tables():
    provisioners = importlib.import_module("ministack.services.cloudformation.provisioners")
    dynamodb = importlib.import_module("ministack.services.dynamodb")
    table = provisioners._RESOURCE_HANDLERS["AWS::DynamoDB::Table"]
    create = table["create"]

    def created(logical_id, properties, stack_name):
        name, attributes = create(logical_id, properties, stack_name)
        if expiry := properties.get("TimeToLiveSpecification"):
            dynamodb._update_ttl({"TableName": name, "TimeToLiveSpecification": expiry})
        if recovery := properties.get("PointInTimeRecoverySpecification"):
            dynamodb._update_continuous_backups(
                {"TableName": name, "PointInTimeRecoverySpecification": recovery}
            )
        return name, attributes

    table["create"] = created


def ages_of_queues():
    cloudwatch = importlib.import_module("ministack.services.cloudwatch")
    sqs = importlib.import_module("ministack.services.sqs")
    read = cloudwatch._get_metric_data

    def with_ages(*request, **named):
        now = time.time()
        for _url, queue in sqs._queues.items():
            if not queue["messages"]:
                continue
            oldest = min(message["sent_at"] for message in queue["messages"])
            cloudwatch.record_metric(
                "AWS/SQS",
                "ApproximateAgeOfOldestMessage",
                int(now - oldest),
                "Seconds",
                {"QueueName": queue["name"]},
            )
        return read(*request, **named)

    cloudwatch._get_metric_data = with_ages


def recovery_of_the_last_days():
    dynamodb = importlib.import_module("ministack.services.dynamodb")
    describe = dynamodb._describe_continuous_backups

    def described(data):
        status, headers, body = describe(data)
        answer = json.loads(body)
        recovery = answer.get("ContinuousBackupsDescription", {}).get("PointInTimeRecoveryDescription", {})
        if "EarliestRestorableDateTime" in recovery:
            recovery["EarliestRestorableDateTime"] -= 35 * 24 * 3600
        return status, headers, json.dumps(answer).encode()

    dynamodb._describe_continuous_backups = described


def apis_of_every_account():
    def owner(api_id):
        for (account, region, identifier), _api in apigateway._rest_apis.all_items():
            if identifier == api_id:
                return account, region
        return None

    apigateway.find_api_scope = owner


def keys_of_the_own_account():
    def resolved(value):
        keys = [key for key in apigateway._api_keys.values() if key.get("enabled", True)]
        return next((key for key in keys if value and key.get("value") == value), None)

    apigateway._resolve_api_key = resolved


def functions_without_copies():
    functions = importlib.import_module("ministack.services.lambda_svc")
    execute = functions._execute_function

    def executed(record, event):
        name = (record.get("config") or record).get("FunctionName")
        if (functions._functions.get(name) or {}).get("concurrency") == 0:
            return functions._throttle_response("ReservedFunctionConcurrentInvocationLimitExceeded", "Rate Exceeded.")
        return execute(record, event)

    functions._execute_function = executed


def tables_of_a_restore():
    arns_of = actions.dynamodb_resource_arns

    def with_both(body, region, account_id):
        found = arns_of(body, region, account_id)
        with contextlib.suppress(ValueError, AttributeError):
            data = json.loads(body or b"{}")
            if not found and "SourceTableName" in data:
                names = (data["SourceTableName"], data["TargetTableName"])
                return [actions._dynamodb_table_arn(name, region, account_id) for name in names]
        return found

    actions.dynamodb_resource_arns = with_both


def source_of_a_restored_table():
    dynamodb = importlib.import_module("ministack.services.dynamodb")
    restore = dynamodb._restore_table_to_point_in_time
    describe = dynamodb._table_description
    restored = {}

    def restored_from(data):
        answer = restore(data)
        if answer[0] == 200:
            source = dynamodb._tables[data["SourceTableName"]]["TableArn"]
            restored[dynamodb._tables[data["TargetTableName"]]["TableArn"]] = {
                "SourceTableArn": source,
                "RestoreDateTime": data.get("RestoreDateTime") or time.time(),
                "RestoreInProgress": False,
            }
        return answer

    def described(name):
        description = describe(name)
        if summary := restored.get(description.get("TableArn")):
            description = {**description, "RestoreSummary": summary}
        return description

    dynamodb._restore_table_to_point_in_time = restored_from
    dynamodb._table_description = described


FAULTS = [
    (
        "the window of point-in-time recovery is one second: now. (A restore brings what is there now, whatever the time.)",
        'API reference, PointInTimeRecoveryDescription: "EarliestRestorableDateTime … up to 35 days"',
        recovery_of_the_last_days,
    ),
    (
        "an API answers only requests that are signed in its own account, and unsigned ones in the first account",
        'Amazon API Gateway, "Invoke REST APIs": the id of an API is its host name, whoever calls it',
        apis_of_every_account,
    ),
    (
        "the value of an API key finds a key of another account or region",
        'Amazon API Gateway, "Usage plans and API keys": API keys belong to an account and region',
        keys_of_the_own_account,
    ),
    (
        "a function that has no copies (ReservedConcurrentExecutions is 0) runs all the same when its alias is called",
        'AWS Lambda, "Configuring reserved concurrency": "set … to 0 … to prevent the function from processing events"',
        functions_without_copies,
    ),
    (
        "RestoreTableToPointInTime is decided about no table in particular",
        'Service Authorization Reference, "Amazon DynamoDB": RestoreTableToPointInTime, table*',
        tables_of_a_restore,
    ),
    (
        "a restored table does not say what it was restored from",
        "API reference, TableDescription: RestoreSummary",
        source_of_a_restored_table,
    ),
    (
        "a queue tells CloudWatch nothing: GetMetricData knows no metric of AWS/SQS",
        'Amazon SQS, "Available CloudWatch metrics for Amazon SQS": ApproximateAgeOfOldestMessage, dimension QueueName',
        ages_of_queues,
    ),
    (
        "a role that CloudFormation makes has no permissions boundary",
        "AWS CloudFormation, AWS::IAM::Role: PermissionsBoundary",
        boundaries_of_roles,
    ),
    (
        "a table that CloudFormation makes has neither expiry nor point-in-time recovery",
        "AWS CloudFormation, AWS::DynamoDB::Table: TimeToLiveSpecification, PointInTimeRecoverySpecification",
        settings_of_tables,
    ),
    (
        "an API does not answer at its AWS host name",
        'Amazon API Gateway, "Invoke REST APIs": https://api-id.execute-api.region.amazonaws.com/stage',
        host_of_apis,
    ),
    (
        "aws:PrincipalArn of an assumed role is the ARN of the session, without the path of the role",
        'IAM User Guide, "AWS global condition context keys": "For IAM roles, the request context returns the ARN of'
        ' the role, not the ARN of the user that assumed the role"',
        arn_of_assumed_roles,
    ),
    (
        "an API whose apiKeySource is AUTHORIZER takes the key from the header",
        'Amazon API Gateway, "Choose an API key source": the authorizer returns it as usageIdentifierKey',
        keys_of_authorisers,
    ),
    (
        "GetUsagePlans ignores keyId",
        'API reference, GetUsagePlans: "keyId: The identifier of the API key associated with the usage plans"',
        plans_of_a_key,
    ),
    (
        "context.path is no identity source: with a cache, each request is 401",
        'API reference, CreateAuthorizer: "identitySource … a comma-separated list of … context variables"',
        path_as_an_identity_source,
    ),
    (
        "reading one alias of a function needs lambda:ListAliases",
        'Service Authorization Reference, "AWS Lambda": GetAlias, UpdateAlias and DeleteAlias are actions',
        actions_on_one_alias,
    ),
    (
        "a batch of SQS needs an action of its own, such as sqs:SendMessageBatch",
        'Amazon SQS, "Amazon SQS API permissions": "SendMessageBatch: sqs:SendMessage"',
        actions_of_batches,
    ),
    (
        "a call that names a key of KMS by its alias is decided about the alias, whose tags are none",
        'AWS KMS, "IAM policies": "To identify a KMS key in the Resource element of an IAM policy statement, use its'
        ' key ARN"; "ABAC for AWS KMS": aws:ResourceTag is a tag of the key',
        keys_named_by_an_alias,
    ),
    (
        "DescribeAlarms is decided about no alarm in particular",
        'Service Authorization Reference, "Amazon CloudWatch": DescribeAlarms, alarm*; API reference, DescribeAlarms:'
        " a narrower scope returns metric alarms",
        alarms_by_name,
    ),
    (
        "kms:KeySpec of CreateKey is never set",
        'AWS KMS, "AWS KMS condition keys": "kms:KeySpec … controls access to CreateKey"',
        specs_of_new_keys,
    ),
    (
        "aws:ResourceTag of a user pool is never set",
        'Service Authorization Reference, "Amazon Cognito User Pools": AdminCreateUser, userpool*, aws:ResourceTag',
        tags_of_user_pools,
    ),
    (
        "dynamodb:LeadingKeys is never set, and dynamodb:Attributes not for writes",
        'Amazon DynamoDB, "Using IAM policy conditions for fine-grained access control": "dynamodb:LeadingKeys:'
        ' Represents the first key attribute of a table"; "dynamodb:Attributes: … the attributes that are accessed by'
        ' the request"',
        leading_keys,
    ),
]


def record_decisions(path):
    """Writes each decision of IAM about somebody who is not the root user as a line of JSON."""
    asked = contextvars.ContextVar("asked", default=None)
    evaluate = evaluator.evaluate
    enforce = evaluator.enforce
    out = open(path, "a", buffering=1, encoding="utf-8")  # noqa: SIM115

    def evaluated(context, policies, *limits):
        if asked.get() == []:
            asked.get().append(context)
        return evaluate(context, policies, *limits)

    def enforced(*given, **named):
        token = asked.set([])
        try:
            denied = enforce(*given, **named)
            contexts = asked.get()
        finally:
            asked.reset(token)
        for context in contexts:
            facts = {
                "principal": context.principal_arn,
                "action": context.action,
                "resource": context.resource_arn,
                "allowed": denied is None,
                "context": {
                    key: value
                    for key, value in context.service_context.items()
                    if key in ("dynamodb:leadingkeys", "dynamodb:attributes")
                },
            }
            out.write(json.dumps(facts) + "\n")
        return denied

    evaluator.evaluate = evaluated
    evaluator.enforce = enforced


def throttle(path):
    """Refuses all calls about items of the tables whose names stand in a file, as DynamoDB does beyond their limits."""
    dynamodb = importlib.import_module("ministack.services.dynamodb")
    handle = dynamodb.handle_request
    about_items = re.compile("(Get|Put|Update|Delete|Transact|Batch|Query|Scan).*(Item|Items|Query|Scan)$|^(Query|Scan)$")

    async def handled(method, url, headers, body, query):
        action = headers.get("x-amz-target", "").split(".")[-1]
        if about_items.match(action) and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                names = file.read().split()
            if any(f'"{name}"' in body.decode("utf-8", "replace") for name in names):
                fault = "ThrottlingException"
                words = "Throughput exceeds the current capacity of your table or index."
                answer = {"__type": f"com.amazonaws.dynamodb.v20120810#{fault}", "message": words}
                return 400, {"Content-Type": "application/x-amz-json-1.0"}, json.dumps(answer).encode()
        return await handle(method, url, headers, body, query)

    dynamodb.handle_request = handled


for fault, _words, mend in FAULTS:
    mend()
throttle(os.environ["THROTTLED"])
record_decisions(os.environ["DECISIONS"])
print(f"{len(FAULTS)} faults mended", flush=True)
app.main()
